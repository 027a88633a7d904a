#include "gpu/recorder/commands.h"

#include <cmath>
#include <functional>

#include "gpu/core/vma.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/pictures.h"
#include "gpu/ops/rows.h"
#include "gpu/ops/words.h"
#include "shaders/elementwise/params.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class CommandsTest : public GpuTest {
protected:
    // How many dispatches and barriers `work` makes, recorded on its own, and that it runs.
    Commands::Counts counts_of(const std::function<void(Commands&)>& work) {
        Commands c(device, arena, "counted");
        c.begin();
        work(c);
        c.end();
        c.run();
        arena.release({});
        Commands::Counts counts = c.counts();
        counts.bytes = 0;  // most tests are about dispatches and barriers only
        return counts;
    }
    static void expect_error(const std::function<void()>& act, const std::string& part) {
        try {
            act();
            ADD_FAILURE() << "no Error was thrown; expected one with: " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
    Tensor filled(float value, uint32_t rows = 1) {
        return tensor(1, rows, 24, Type::f32, std::vector<float>(rows * 24u, value));
    }
    // The plain form of a dispatch, for breaking it.
    static constexpr uint32_t threads = 4;
    static Kernel add_kernel() { return Kernel("add", Type::f32, {threads}); }
};

TEST_F(CommandsTest, a_chain_of_dependent_dispatches_has_a_barrier_between_each_two) {
    const Tensor a = filled(1), b = filled(2), y = filled(0);
    const auto counts = counts_of([&](Commands& c) {
        const Tensor first = add(c, a, b, Type::f32);       // 3
        const Tensor second = add(c, first, b, Type::f32);  // 5
        add_into(c, y, second, first);                      // 8
    });
    EXPECT_EQ(counts, (Commands::Counts{3, 2}));
    EXPECT_EQ(values(y), std::vector<float>(24, 8.0f));
}

TEST_F(CommandsTest, independent_dispatches_have_no_barrier) {
    const Tensor a = filled(1), b = filled(2);
    const auto counts = counts_of([&](Commands& c) {
        for (int i = 0; i < 5; ++i) add(c, a, b, Type::f32);
    });
    EXPECT_EQ(counts, (Commands::Counts{5, 0}));
}

TEST_F(CommandsTest, writing_what_is_still_being_read_or_written_waits) {
    const Tensor a = filled(1), b = filled(2), y = filled(0);
    EXPECT_EQ(counts_of([&](Commands& c) {
                  add_into(c, y, a, b);
                  add_into(c, a, b, b);  // after the read of a
              }),
              (Commands::Counts{2, 1}));
    EXPECT_EQ(counts_of([&](Commands& c) {
                  add_into(c, y, a, b);
                  add_into(c, y, b, b);  // after the write of y
              }),
              (Commands::Counts{2, 1}));
    EXPECT_EQ(values(y), std::vector<float>(24, 4.0f));
}

TEST_F(CommandsTest, one_barrier_serves_everything_before_it) {
    const Tensor a = filled(1), b = filled(2);
    const auto counts = counts_of([&](Commands& c) {
        const Tensor p = add(c, a, b, Type::f32), q = add(c, b, b, Type::f32);
        add(c, p, a, Type::f32);
        add(c, q, a, Type::f32);
        add(c, p, q, Type::f32);
    });
    EXPECT_EQ(counts, (Commands::Counts{5, 1}));
}

TEST_F(CommandsTest, different_rows_of_a_tensor_are_independent_and_the_same_are_not) {
    const Tensor a = filled(1, 4), y = filled(0, 4);
    EXPECT_EQ(counts_of([&](Commands& c) {
                  for (uint32_t i = 0; i < 4; ++i)
                      add_into(c, y.slice_rows(i, 1), a.slice_rows(i, 1), a.slice_rows(3 - i, 1));
              }),
              (Commands::Counts{4, 0}));
    EXPECT_EQ(counts_of([&](Commands& c) {
                  add_into(c, y.slice_rows(0, 2), a.slice_rows(0, 2), a.slice_rows(2, 2));
                  add_into(c, y.slice_rows(1, 2), a.slice_rows(0, 2), a.slice_rows(2, 2));
              }),
              (Commands::Counts{2, 1}));
}

TEST_F(CommandsTest, copies_wait_and_are_waited_for) {
    const Tensor a = filled(1), b = filled(2), y = filled(0), z = filled(0);
    const auto counts = counts_of([&](Commands& c) {
        const Tensor sum = add(c, a, b, Type::f32);
        c.copy_bytes(sum, y);
        add_into(c, z, y, y);
    });
    EXPECT_EQ(counts, (Commands::Counts{2, 2}));
    EXPECT_EQ(values(z), std::vector<float>(24, 6.0f));
}

TEST_F(CommandsTest, pictures_are_waited_for_too) {
    const Image image(device, "frame", 2, 2);
    const Pixels pixels{.bytes = ids(std::vector<uint32_t>{1, 2, 3}), .row_bytes = 6, .rows = 2};
    const auto counts = counts_of([&](Commands& c) {
        unpack(c, image, pixels);
        unpack(c, image, pixels);
    });
    EXPECT_EQ(counts, (Commands::Counts{2, 1}));
}

TEST_F(CommandsTest, bytes_are_those_that_dispatches_read_and_write) {
    const Tensor a = filled(1), b = filled(2), y = filled(0);  // of 24 floats each
    const Tensor table = random_tensor(1, 100, 24, Type::f32);
    const Tensor places = random_tensor(1, 2, 24, Type::f32);
    const Tensor two = ids(std::vector<uint32_t>{3, 98});  // padded to eight words
    Commands c(device, arena, "counted");
    c.begin();
    add_into(c, y, a, b);
    EXPECT_EQ(c.counts().bytes, 3 * 96u);
    embedding(c, two, table, places);
    EXPECT_EQ(c.counts().bytes, 3 * 96u + 32 + 3 * 2 * 96) << "rows of the table, not all of it";
    c.end();
    c.run();
    arena.release({});
}

TEST_F(CommandsTest, a_dispatch_that_does_not_fit_its_shader_is_refused_by_name) {
    const Tensor a = filled(1), y = filled(0);
    const Image image(device, "frame", 2, 2);
    const params::AddParams p{};
    Commands c(device, arena, "refused");
    c.use_plain_kernels(true);  // variants have longer names
    c.begin();
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(a), write(y)}, p);
        },
        "shader 'add.f32' has 3 bindings, 2 given");
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(a), read(a), read(a), write(y)}, p);
        },
        "shader 'add.f32' has 3 bindings, 4 given");
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(a), read(a), write(y)}, params::View{});
        },
        "shader 'add.f32' takes 44 bytes of parameters, 12 given");
    for (const Threads& none : {Threads{0, 1, 1}, Threads{1, 0, 1}, Threads{1, 1, 0}})
        expect_error(
            [&] {
                c.dispatch(add_kernel(), none, {read(a), read(a), write(y)}, p);
            },
            "shader 'add.f32' cannot run over 0 threads on " + device.info().name);
    for (const uint32_t more : {device.limits().workgroup_count[1] + 1, 0xffffffff})
        expect_error(
            [&] {
                c.dispatch(add_kernel(), {1, more, 1}, {read(a), read(a), write(y)}, p);
            },
            "shader 'add.f32' cannot run over " + std::to_string(more) + " threads on " +
                device.info().name);
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(a), read(a), write(image)}, p);
        },
        "shader 'add.f32' binding 2 is of another kind");
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(a), read(Tensor{}), write(y)}, p);
        },
        "shader 'add.f32' binding 1 is of another kind");
    Tensor skewed = a;
    skewed.base += 2;
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(skewed), read(a), write(y)}, p);
        },
        "shader 'add.f32' cannot bind");
    Tensor huge = a;
    huge.bytes = device.limits().storage_range + 1;
    expect_error(
        [&] {
            c.dispatch(add_kernel(), {1}, {read(huge), read(a), write(y)}, p);
        },
        "shader 'add.f32' cannot bind");
    EXPECT_EQ(c.counts(), Commands::Counts{}) << "nothing was recorded";
    c.end();
    c.run();
}

TEST_F(CommandsTest, more_counters_than_there_are_are_refused) {
    Commands c(device, arena, "refused");
    EXPECT_EQ(c.zeros(4096).columns, 4096u);
    expect_error([&] { c.zeros(4097); }, "more than 4096 counters");
}

TEST_F(CommandsTest, a_kernel_that_does_not_exist_is_refused_by_name) {
    const Tensor a = filled(1);
    const params::AddParams p{};
    Commands c(device, arena, "refused");
    c.use_plain_kernels(true);  // variants have longer names
    c.begin();
    auto dispatch = [&](const Kernel& kernel) {
        c.dispatch(kernel, {1}, {read(a), read(a), write(a)}, p);
    };
    expect_error([&] { dispatch(Kernel("nonsense", {4})); }, "no shader is called 'nonsense'");
    expect_error([&] { dispatch(Kernel("add", Type::u32, {4})); }, "no shader is called 'add.u32'");
    expect_error([&] { dispatch(Kernel("add", Type::f32)); },
                 "shader 'add.f32' has 1 specialisation constants, 0 given");
    expect_error(
        [&] {
            dispatch(Kernel("add", Type::f32, {4, 4}));
        },
        "shader 'add.f32' has 1 specialisation constants, 2 given");
    expect_error([&] { dispatch(Kernel("add", Type::f32, {0})); },
                 "shader 'add.f32' asks for a workgroup that");
    expect_error([&] { dispatch(Kernel("add", Type::f32, {1u << 30})); },
                 "shader 'add.f32' asks for a workgroup that");
    expect_error(
        [&] { dispatch(Kernel("a name that is longer than any shader's has a right to be")); },
        "too long");
    c.end();
}

TEST_F(CommandsTest, copies_between_unlike_tensors_are_refused) {
    const Tensor a = filled(1, 2);
    begin();
    expect_error([&] { commands.copy_bytes(a, filled(1, 3)); },
                 "cannot copy (1, 2, 24) f32 to (1, 3, 24) f32");
    expect_error([&] { commands.copy_bytes(a, poisoned(1, 2, 24, Type::f16)); }, "cannot copy");
    expect_error([&] { commands.copy_bytes(a, poisoned(1, 1, 48, Type::f32)); }, "cannot copy");
    finish();
}

TEST_F(CommandsTest, copies_some_rows_to_others) {
    const std::vector<float> x = random(5 * 24);
    const Tensor from = tensor(1, 5, 24, Type::f32, x), to = filled(9, 4);
    begin();
    commands.copy_bytes(from.slice_rows(3, 2), to.slice_rows(1, 2));
    finish();
    const auto y = values(to);
    for (size_t i = 0; i < 24; ++i) {
        EXPECT_EQ(y[i], 9.0f);
        EXPECT_EQ(y[24 + i], x[3 * 24 + i]);
        EXPECT_EQ(y[48 + i], x[4 * 24 + i]);
        EXPECT_EQ(y[72 + i], 9.0f);
    }
}

TEST_F(CommandsTest, a_recording_runs_each_time_it_is_submitted) {
    const Tensor sum = filled(0), one = filled(1), product = filled(0);
    Commands c(device, arena, "replayed");
    c.begin();
    add_into(c, sum, sum, one);
    const Tensor twice = add(c, one, one, Type::f32);
    add_into(c, product, twice, twice);
    c.end();
    for (int i = 1; i <= 5; ++i) {
        c.run();
        EXPECT_EQ(values(sum), std::vector<float>(24, float(i)));
        EXPECT_EQ(values(product), std::vector<float>(24, 4.0f));
    }
    arena.release({});
}

TEST_F(CommandsTest, tickets_are_reached_in_the_order_of_submission) {
    const Tensor y = filled(0), one = filled(1);
    Commands first(device, arena, "first"), second(device, arena, "second");
    for (Commands* c : {&first, &second}) {
        c->begin();
        add_into(*c, y, y, one);
        c->end();
    }
    const Ticket a = first.submit(), b = second.submit();
    EXPECT_LT(a.value, b.value);
    second.wait(b);
    EXPECT_TRUE(device.reached(a));
    EXPECT_TRUE(device.reached(b));
    EXPECT_FALSE(device.reached({b.value + 1}));
    EXPECT_EQ(values(y), std::vector<float>(24, 2.0f)) << "the second waits for the first's writes";
}

TEST_F(CommandsTest, recordings_handed_in_together_follow_each_other) {
    const Tensor y = filled(1), one = filled(1);
    std::vector<std::unique_ptr<Commands>> all;
    for (int i = 0; i < 40; ++i) {  // more than fit into one submission: y = 2 y and y + 1 in turn
        all.push_back(std::make_unique<Commands>(device, arena, "step"));
        all.back()->begin();
        {
            auto scope = all.back()->scope("step");
            add_into(*all.back(), y, y, i % 20 == 0 ? y : one);
        }
        all.back()->end();
    }
    for (int run = 0; run < 2; ++run) device.wait(submit_in_order(all), "steps");
    EXPECT_EQ(values(y)[0], float((((1 * 2 + 19) * 2 + 19) * 2 + 19) * 2 + 19));
    for (const auto& c : all) EXPECT_EQ(c->times().size(), 1u) << "each is timed by itself";
}

TEST_F(CommandsTest, recording_the_same_again_makes_no_pipeline_and_takes_no_memory) {
    const Tensor a = filled(1), b = filled(2), y = filled(0);
    Commands c(device, arena, "frame");
    c.keep_trace(true);
    auto record = [&] {
        c.begin();
        {
            auto scope = c.scope("layer");
            const Tensor sum = add(c, a, b, Type::f32);
            add_into(c, y, sum, softmax(c, sum));
        }
        c.end();
        c.run();
    };
    record();
    const size_t pipelines = device.pipelines().count();
    const uint64_t scratch = arena.bytes(), memory = device.memory().device_bytes;
    const std::vector<std::string> trace = c.trace();
    EXPECT_EQ(trace.size(), c.counts().dispatches + c.counts().barriers);
    for (int i = 0; i < 3; ++i) {
        record();
        EXPECT_EQ(c.trace(), trace);
    }
    EXPECT_EQ(device.pipelines().count(), pipelines);
    EXPECT_EQ(arena.bytes(), scratch);
    EXPECT_EQ(device.memory().device_bytes, memory);
    for (float value : values(y)) EXPECT_NEAR(value, 3.0f + 1.0f / 24, 1e-6);
}

TEST_F(CommandsTest, constants_live_as_long_as_their_recording) {
    auto allocations = [&] {
        VmaBudget heaps[VK_MAX_MEMORY_HEAPS] = {};
        vmaGetHeapBudgets(device.allocator(), heaps);
        uint32_t count = 0;
        for (const VmaBudget& heap : heaps) count += heap.statistics.allocationCount;
        return count;
    };
    Commands c(device, arena, "constants");
    const std::vector<std::byte> words(16);
    auto record = [&] {
        c.begin();
        c.constants(words);
        c.end();
    };
    record();
    const uint32_t before = allocations();
    record();
    EXPECT_EQ(allocations(), before);
}

TEST_F(CommandsTest, the_trace_tells_apart_what_differs_in_a_number_or_a_barrier) {
    const Tensor a = filled(1, 2), y = filled(0, 2);
    auto trace_of = [&](const std::function<void(Commands&)>& work) {
        Commands c(device, arena, "traced");
        c.keep_trace(true);
        c.begin();
        work(c);
        c.end();
        arena.release({});
        return c.trace();
    };
    const auto plain = trace_of([&](Commands& c) { add_into(c, y, a, a); });
    ASSERT_EQ(plain.size(), 1u);
    EXPECT_EQ(plain, trace_of([&](Commands& c) { add_into(c, y, a, a); }));
    EXPECT_NE(plain, trace_of([&](Commands& c) {
                  add_into(c, y.slice_rows(0, 1), a.slice_rows(0, 1), a.slice_rows(0, 1));
              }));
    EXPECT_NE(plain, trace_of([&](Commands& c) {
                  add_into(c, y.slice_rows(1, 1), a.slice_rows(0, 1), a.slice_rows(0, 1));
              }));
    const auto twice = trace_of([&](Commands& c) {
        add_into(c, y, a, a);
        add_into(c, y, a, a);
    });
    ASSERT_EQ(twice.size(), 3u);
    EXPECT_EQ(twice[1], "barrier");
    EXPECT_TRUE(trace_of([&](Commands& c) { c.keep_trace(false); }).empty());
}

TEST_F(CommandsTest, scopes_are_timed_by_name_as_deep_as_asked) {
    ASSERT_GT(device.limits().timestamp_ns, 0.0);
    const Tensor a = random_tensor(1, 197, 333, Type::f32);
    Commands c(device, arena, "timed", 2);
    c.begin();
    {
        auto outer = c.scope("outer");
        {
            auto inner = c.scope("inner");
            auto deep = c.scope("too deep to be timed");
            add(c, a, a, Type::f32);
        }
        auto second = c.scope("second");
        add(c, a, a, Type::f32);
    }
    { auto last = c.scope("last"); }
    c.end();
    for (int run = 0; run < 2; ++run) {
        c.run();
        const std::vector<ScopeTime> times = c.times();
        ASSERT_EQ(times.size(), 4u);
        const char* names[] = {"outer", "inner", "second", "last"};
        const int depths[] = {0, 1, 1, 0};
        for (size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(times[i].name, names[i]);
            EXPECT_EQ(times[i].depth, depths[i]);
            EXPECT_GE(times[i].ms, 0.0);
            EXPECT_LT(times[i].ms, 60000.0);
        }
        EXPECT_GT(times[0].ms, 0.0);
        EXPECT_GE(times[0].ms, times[1].ms) << "a scope lasts as long as what is in it";
    }
}

TEST_F(CommandsTest, without_timers_there_are_no_times) {
    Commands c(device, arena, "untimed", 0);
    c.begin();
    { auto scope = c.scope("outer"); }
    c.end();
    c.run();
    EXPECT_TRUE(c.times().empty());
}

TEST_F(CommandsTest, more_scopes_than_there_are_timers_are_recorded_all_the_same) {
    Commands c(device, arena, "many", 2);
    for (int round = 0; round < 2; ++round) {
        c.begin();
        for (int i = 0; i < 400; ++i) {
            auto outer = c.scope("outer");
            auto inner = c.scope("inner");
        }
        c.end();
        c.run();
        EXPECT_EQ(c.times().size(), 512u);
    }
}

TEST_F(CommandsTest, scratch_memory_is_used_again_after_its_scope_and_not_before) {
    const Tensor a = filled(1), b = filled(2), y = filled(0), z = filled(0);
    Tensor first, within, second;
    const auto counts = counts_of([&](Commands& c) {
        {
            auto scope = c.scope("first");
            first = add(c, a, b, Type::f32);  // 3
            {
                auto inner = c.scope("inner");
                within = add(c, b, b, Type::f32);
            }
            add_into(c, y, first, first);  // 6
        }
        auto scope = c.scope("second");
        second = add(c, b, b, Type::f32);  // 4, where `first` was
        add_into(c, z, second, second);    // 8
    });
    EXPECT_NE(within.base, first.base);
    EXPECT_EQ(second.buffer, first.buffer);
    EXPECT_EQ(second.base, first.base);
    EXPECT_EQ(counts.barriers, 3u) << "the second writes what the first read";
    EXPECT_EQ(values(y), std::vector<float>(24, 6.0f));
    EXPECT_EQ(values(z), std::vector<float>(24, 8.0f));
}

TEST_F(CommandsTest, an_error_in_a_scope_leaves_a_recording_that_can_go_on) {
    const Tensor a = filled(1), y = filled(0);
    begin();
    const Arena::Mark mark = arena.mark();
    try {
        auto scope = commands.scope("doomed");
        const Tensor sum = add(commands, a, a, Type::f32);
        add(commands, sum, filled(1, 2), Type::f32);
        ADD_FAILURE() << "no Error was thrown";
    } catch (const Error&) {
    }
    EXPECT_EQ(arena.mark().block, mark.block);
    EXPECT_EQ(arena.mark().used, mark.used);
    add_into(commands, y, a, a);
    finish();
    EXPECT_EQ(values(y), std::vector<float>(24, 2.0f));
}

}  // namespace
}  // namespace saccade
