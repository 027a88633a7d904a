// Operations on a few rows have the same results in a chain as alone.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/ops/words.h"
#include "shaders/chains/params.h"
#include "shaders/common/params.h"
#include "tests/gpu/ops/chains/chained.h"

namespace saccade {
namespace {

// A chain rounds normalised rows to fp16 before it multiplies. The error is small for many columns,
// and larger for a single one whose terms cancel.
constexpr double half_error = 2e-3, normalized = 1e-3, normalized_halves = 5e-3, floats = 2e-5;

class ChainTest : public Chained {
protected:
    Tensor row(uint32_t columns, Type type) { return random_tensor(1, 1, columns, type); }
    // A row in each of a few batches.
    Tensor rows(uint32_t count, uint32_t columns, Type type) {
        return random_tensor(count, 1, columns, type);
    }
    Tensor ids_of_rows(std::span<const uint32_t> words) {
        std::vector<uint32_t> spread(words.size() * row_quantum);
        for (size_t i = 0; i < words.size(); ++i) spread[i * row_quantum] = words[i];
        Tensor t = ids(spread);
        t.batch = static_cast<uint32_t>(words.size());
        t.columns = 1;
        t.batch_stride = t.row_stride = row_quantum;
        return t;
    }
    Norm norm(uint32_t columns) { return {row(columns, Type::f32), row(columns, Type::f32)}; }
    Linear layer(uint32_t out, uint32_t in) {
        return {random_tensor(1, out, in, Type::f16), row(out, Type::f32)};
    }
};

TEST_F(ChainTest, gives_the_same_products) {
    for (uint32_t in : {8u, 72u, 768u, 2000u})
        for (uint32_t out : {1u, 7u, 300u}) {
            const std::string sizes = std::to_string(in) + " to " + std::to_string(out);
            const Tensor x = row(in, Type::f32), half = row(in, Type::f16);
            const Norm over = norm(in);
            const Linear w = layer(out, in);
            expect_alike("normalised, " + sizes, normalized_halves, [&](Commands& c) {
                return norm_linear(c, x, over, w, Activation::gelu_tanh);
            });
            expect_alike("halves, " + sizes, half_error,
                         [&](Commands& c) { return linear(c, half, w, Activation::relu); });
            expect_alike("to fp32 without a bias, " + sizes, normalized, [&](Commands& c) {
                const Tensor y = c.scratch(1, 1, out, Type::f32);
                norm_linear_into(c, y, x, over, {w.weight, {}});
                return y;
            });
        }
}

TEST_F(ChainTest, gives_the_same_attention) {
    for (uint32_t keys : {1u, 31u, 197u, 300u})
        for (uint32_t head : {8u, 40u, 64u}) {
            const Tensor q = row(3 * head, Type::f16);
            const Tensor k = random_tensor(1, keys, 3 * head, Type::f16);
            const Tensor v = random_tensor(1, keys, 3 * head, Type::f16);
            expect_alike(std::to_string(keys) + " keys of " + std::to_string(head), half_error,
                         [&](Commands& c) {
                             return attention(c, q, k, v, {3, 0.3f});
                         });
        }
}

TEST_F(ChainTest, gives_the_same_attention_of_heads_that_share_keys) {
    for (uint32_t keys : {1u, 31u, 300u}) {
        const Tensor q = row(6 * 40, Type::f16);
        const Tensor k = random_tensor(1, keys, 2 * 40, Type::f16);
        const Tensor v = random_tensor(1, keys, 2 * 40, Type::f16);
        expect_alike(std::to_string(keys) + " keys", half_error, [&](Commands& c) {
            return attention(c, q, k, v, {.count = 6, .scale = 0.3f, .sharing = 3});
        });
    }
}

TEST_F(ChainTest, gives_the_same_products_of_the_other_norm) {
    for (uint32_t in : {8u, 72u, 576u, 2000u}) {
        const std::string sizes = std::to_string(in);
        const Tensor x = row(in, Type::f32);
        const RmsNorm over{row(in, Type::f32), 1e-3f};
        const Linear w = layer(300, in), qkv = layer(5 * 24 + 40, in), gate_up = layer(2 * 152, in);
        expect_alike("product, " + sizes, normalized, [&](Commands& c) {
            const Tensor y = c.scratch(1, 1, 300, Type::f32);
            norm_linear_into(c, y, x, over, {w.weight, {}});
            return y;
        });
        const Rotation by{row(24, Type::f32), 5, 24};  // columns after the heads are not rotated
        expect_alike("turned, " + sizes, normalized_halves, [&](Commands& c) {
            const Tensor y = c.scratch(1, 1, 5 * 24 + 40, Type::f16);
            rotated_linear_into(c, y, x, over, qkv, by);
            return y;
        });
        expect_alike("gated, " + sizes, normalized_halves, [&](Commands& c) {
            return gated_linear(c, x, over, gate_up, Activation::silu);
        });
    }
}

// Heads whose halves share a word, and gates that would write padding, are not links of a chain.
TEST_F(ChainTest, leaves_pairs_that_do_not_fit_to_other_kernels) {
    const Tensor x = row(64, Type::f32);
    const RmsNorm over{row(64, Type::f32)};
    const Linear qkv = layer(2 * 16, 64), gate_up = layer(2 * 12, 64);
    const Rotation by{row(10, Type::f32), 2, 10};
    auto chained = [&](auto work) {
        commands.use_plain_kernels(false);
        const std::vector<float> values = run([&](Commands& c) {
            const Chain chain(c);
            return work(c);
        });
        EXPECT_GT(commands.counts().dispatches, 1u);
        return values;
    };
    auto alone = [&](auto work) {
        commands.use_plain_kernels(true);
        return run(work);
    };
    auto turn = [&](Commands& c) {
        const Tensor y = c.scratch(1, 1, 2 * 16, Type::f16);
        rotated_linear_into(c, y, x, over, qkv, by);
        return y;
    };
    auto open = [&](Commands& c) { return gated_linear(c, x, over, gate_up, Activation::silu); };
    EXPECT_LT(relative_error(chained(turn), alone(turn)), normalized_halves);
    EXPECT_LT(relative_error(chained(open), alone(open)), normalized_halves);
}

TEST_F(ChainTest, gives_the_same_norms_and_words) {
    const Tensor x = row(104, Type::f32), table = random_tensor(1, 9, 104, Type::f16);
    const Norm over = norm(104);
    const Tensor id = ids(std::vector<uint32_t>{6});
    expect_alike("norm", floats, [&](Commands& c) { return layer_norm(c, x, over, Type::f32); });
    expect_alike("word", floats, [&](Commands& c) { return embedding(c, id, table, x); });
}

TEST_F(ChainTest, picks_the_same_words) {
    for (uint32_t columns : {5u, 300u, 5003u}) {
        const Tensor x = row(columns, Type::f32), table = random_tensor(1, columns, 16, Type::f16);
        const Tensor position = row(16, Type::f32);
        auto pick_of = [&](Commands& c, const Tensor& id) {
            const Tensor about = c.scratch(1, 3, 1, Type::f32);
            pick(c, id, about, x);
            return about;
        };
        expect_alike("about " + std::to_string(columns), floats,
                     [&](Commands& c) { return pick_of(c, c.scratch(1, 1, 1, Type::u32)); });
        expect_alike("the word of " + std::to_string(columns), floats, [&](Commands& c) {
            const Tensor id = c.scratch(1, 1, 1, Type::u32);
            pick_of(c, id);
            return embedding(c, id, table, position);
        });
    }
}

TEST_F(ChainTest, gives_several_rows_the_same_products) {
    for (uint32_t count : {2u, 3u, 4u})
        for (uint32_t in : {72u, 1000u}) {
            const std::string sizes = std::to_string(count) + " of " + std::to_string(in);
            const Tensor x = rows(count, in, Type::f32), half = rows(count, in, Type::f16);
            const Norm over = norm(in);
            const RmsNorm by_squares{row(in, Type::f32), 1e-3f};
            const Linear w = layer(300, in), qkv = layer(5 * 24 + 40, in), gate_up = layer(304, in);
            expect_alike("normalised, " + sizes, normalized_halves, [&](Commands& c) {
                return norm_linear(c, x, over, w, Activation::gelu_tanh);
            });
            expect_alike("added, " + sizes, normalized, [&](Commands& c) {
                const Tensor y = c.scratch(count, 1, 300, Type::f32);
                norm_linear_into(c, y, x, over, w);
                linear_add(c, y, half, w);
                return y;
            });
            const Rotation by{row(24, Type::f32), 5, 24};
            expect_alike("turned, " + sizes, normalized_halves, [&](Commands& c) {
                const Tensor y = c.scratch(count, 1, 5 * 24 + 40, Type::f16);
                rotated_linear_into(c, y, x, by_squares, qkv, by);
                return y;
            });
            expect_alike("gated, " + sizes, normalized_halves, [&](Commands& c) {
                return gated_linear(c, x, by_squares, gate_up, Activation::silu);
            });
        }
}

// Each thread fetches more than one part of them.
TEST_F(ChainTest, gives_several_long_rows_the_same_products) {
    const Tensor x = rows(3, 2600, Type::f16);
    const Linear w = layer(70, 2600);
    expect_alike("3 of 2600", half_error,
                 [&](Commands& c) { return linear(c, x, w, Activation::relu); });
}

// Each row has its own keys, or several share them, as the sentences of a picture do.
TEST_F(ChainTest, gives_several_rows_the_same_attention) {
    struct Case {
        uint32_t batch, queries;
    };
    for (const Case& of : {Case{3, 1}, Case{1, 3}, Case{2, 2}, Case{4, 1}})
        for (uint32_t keys : {1u, 31u, 300u})
            for (uint32_t sharing : {1u, 3u}) {
                const Tensor q = random_tensor(of.batch, of.queries, 6 * 40, Type::f16);
                const Tensor k = random_tensor(of.batch, keys, 6 / sharing * 40, Type::f16);
                const Tensor v = random_tensor(of.batch, keys, 6 / sharing * 40, Type::f16);
                expect_alike(std::to_string(of.batch) + " x " + std::to_string(of.queries) +
                                 " of " + std::to_string(keys) + " keys",
                             half_error, [&](Commands& c) {
                                 return attention(c, q, k, v,
                                                  {.count = 6, .scale = 0.3f, .sharing = sharing});
                             });
            }
}

TEST_F(ChainTest, gives_several_rows_the_same_norms_words_and_choices) {
    const Tensor x = rows(3, 104, Type::f32), table = random_tensor(1, 9, 104, Type::f16);
    const Tensor position = row(104, Type::f32), scores = rows(3, 5003, Type::f32);
    const Norm over = norm(104);
    const Tensor said = ids_of_rows(std::vector<uint32_t>{6, 0, 8});
    expect_alike("norm", floats, [&](Commands& c) { return layer_norm(c, x, over, Type::f32); });
    expect_alike("word", floats, [&](Commands& c) { return embedding(c, said, table, position); });
    const Tensor words = random_tensor(1, 5003, 16, Type::f16), at = row(16, Type::f32);
    auto pick_of = [&](Commands& c, const Tensor& id) {
        const Tensor about = c.scratch(3, 3, 1, Type::f32);
        pick(c, id, about, scores);
        return about;
    };
    expect_alike("about the best", floats,
                 [&](Commands& c) { return pick_of(c, c.scratch(3, 1, 1, Type::u32)); });
    expect_alike("the best", floats, [&](Commands& c) {
        const Tensor id = c.scratch(3, 1, 1, Type::u32);
        pick_of(c, id);
        return embedding(c, id, words, at);
    });
}

// More rows than a chain takes, and several rows of one batch, are not links of a chain.
TEST_F(ChainTest, leaves_more_rows_to_other_kernels) {
    const Norm over = norm(64);
    const Linear w = layer(64, 64);
    commands.use_plain_kernels(false);
    for (const Tensor& x : {rows(5, 64, Type::f32), random_tensor(1, 3, 64, Type::f32)}) {
        commands.keep_trace(true);
        run([&](Commands& c) {
            const Chain chain(c);
            return norm_linear(c, x, over, w);
        });
        for (const std::string& line : commands.trace())
            EXPECT_FALSE(line.starts_with("chain")) << x.shape();
        commands.keep_trace(false);
    }
    run([&](Commands& c) {
        auto scope = c.scope("chained");
        const Chain chain(c);
        layer_norm(c, rows(2, 64, Type::f32), over, Type::f32);
        return layer_norm(c, rows(3, 64, Type::f32), over, Type::f32);
    });
    EXPECT_EQ(commands.counts().dispatches, 2u) << "all links of a chain have as many rows";
}

// A decoder's layer: every operation reads the result of the one before, and memory is reused.
TEST_F(ChainTest, operations_wait_for_each_other) {
    constexpr uint32_t dim = 96, heads = 3;
    const Norm norm1 = norm(dim), norm2 = norm(dim);
    const Linear qkv = layer(3 * dim, dim), out = layer(dim, dim), up = layer(200, dim),
                 down = layer(dim, 200);
    const Tensor table = random_tensor(1, 9, dim, Type::f16), position = row(dim, Type::f32);
    for (uint32_t count : {1u, 3u}) {
        const std::vector<uint32_t> words = {4, 7, 2};
        const Tensor id = ids_of_rows(std::span(words).first(count));
        const Tensor past = random_tensor(count, 5, 3 * dim, Type::f16);
        expect_alike("layer of " + std::to_string(count), half_error, [&](Commands& c) {
            const Tensor x = embedding(c, id, table, position);
            for (int layer = 0; layer < 2; ++layer) {
                auto scope = c.scope("layer");
                norm_linear_into(c, past.slice_rows(4, 1), x, norm1, qkv);
                const Tensor a = attention(c, past.slice_rows(4, 1).slice_columns(0, dim),
                                           past.slice_columns(dim, dim),
                                           past.slice_columns(2 * dim, dim), {heads, 0.2f});
                linear_add(c, x, a, out);
                linear_add(c, x, norm_linear(c, x, norm2, up, Activation::gelu_tanh), down);
            }
            return x;
        });
    }
}

// The same for a decoder with rotary positions, shared keys and gates: keys are rotated before they
// are read.
TEST_F(ChainTest, operations_of_llama_wait_for_each_other) {
    constexpr uint32_t dim = 48, head = 8, wide = 200, all = 10 * head;
    const Heads heads{.count = 6, .scale = 0.25f, .sharing = 3};
    const RmsNorm norm1{row(dim, Type::f32)}, norm2{row(dim, Type::f32)};
    const Linear qkv = layer(all, dim), out = layer(dim, dim), gate_up = layer(2 * wide, dim),
                 down = layer(dim, wide);
    const Tensor id = ids(std::vector<uint32_t>{4}), table = random_tensor(1, 9, dim, Type::f16);
    const Tensor position = row(dim, Type::f32), past = random_tensor(1, 5, all, Type::f16);
    const Rotation by{row(head, Type::f32), 8, head};
    expect_alike("layer", half_error, [&](Commands& c) {
        const Tensor x = embedding(c, id, table, position);
        for (int layer = 0; layer < 2; ++layer) {
            auto scope = c.scope("layer");
            rotated_linear_into(c, past.slice_rows(4, 1), x, norm1, qkv, by);
            const Tensor a = attention(c, past.slice_rows(4, 1).slice_columns(0, dim),
                                       past.slice_columns(dim, 2 * head),
                                       past.slice_columns(dim + 2 * head, 2 * head), heads);
            linear_add(c, x, a, out);
            linear_add(c, x, gated_linear(c, x, norm2, gate_up, Activation::silu), down);
        }
        return x;
    });
}

TEST_F(ChainTest, ends_where_something_else_is_recorded) {
    const Tensor x = row(64, Type::f32), many = random_tensor(1, 5, 64, Type::f32);
    const Norm over = norm(64);
    commands.use_plain_kernels(false);
    run([&](Commands& c) {
        const Chain chain(c);
        layer_norm(c, layer_norm(c, x, over, Type::f32), over, Type::f32);
        layer_norm(c, many, over, Type::f32);
        return layer_norm(c, x, over, Type::f32);
    });
    EXPECT_EQ(commands.counts().dispatches, 3u);
}

// All links share the kernel's specialisation constants, and all keys but the last are read early.
TEST_F(ChainTest, ends_where_links_do_not_go_together) {
    const Tensor x = row(64, Type::f16);
    const Linear w = layer(64, 64), wide = layer(128, 64);
    commands.use_plain_kernels(false);
    auto in_chain = [&](auto work) {
        run([&](Commands& c) {
            const Chain chain(c);
            return work(c);
        });
        return commands.counts().dispatches;
    };
    EXPECT_EQ(in_chain([&](Commands& c) {
                  return linear(c, linear(c, x, w, Activation::relu), w, Activation::gelu_tanh);
              }),
              2u);
    EXPECT_EQ(in_chain([&](Commands& c) {
                  return linear(c, linear(c, x, w, Activation::relu), w, Activation::none);
              }),
              1u);
    for (uint32_t fresh : {1u, 2u}) {  // of three keys
        const Tensor past = random_tensor(1, 3, 128, Type::f16);
        EXPECT_EQ(in_chain([&](Commands& c) {
                      for (uint32_t i = 3 - fresh; i < 3; ++i)
                          linear_into(c, past.slice_rows(i, 1), x, wide);
                      return attention(c, x, past.slice_columns(0, 64), past.slice_columns(64, 64),
                                       {2, 0.3f});
                  }),
                  fresh);
    }
}

// The kernel has only the features that its links need: others would cost registers and time.
TEST_F(ChainTest, is_built_for_the_links_that_it_has_and_no_others) {
    const Tensor x = row(64, Type::f32);
    const Norm over = norm(64);
    const RmsNorm by_squares{row(64, Type::f32)};
    const Linear w = layer(64, 64);
    commands.use_plain_kernels(false);
    commands.keep_trace(true);
    auto kernel = [&](auto work) {
        run([&](Commands& c) {
            auto scope = c.scope("chained");
            const Chain chain(c);
            return work(c);
        });
        for (const std::string& line : commands.trace())
            if (line.starts_with("chain")) return line.substr(0, line.find(" x"));
        return std::string();
    };
    auto named = [](uint32_t activation, uint32_t uses) {
        return "chain #256 #1 #" + std::to_string(activation) + " #" + std::to_string(uses) +
               " #1 #512";
    };
    const uint32_t product = 1u << params::link_product;
    EXPECT_EQ(kernel([&](Commands& c) { return layer_norm(c, x, over, Type::f32); }),
              named(0, 1u << params::link_norm | params::chain_layer_norms));
    EXPECT_EQ(kernel([&](Commands& c) { return norm_linear(c, x, over, w, Activation::relu); }),
              named(params::activation_relu, product | params::chain_layer_norms));
    EXPECT_EQ(
        kernel([&](Commands& c) { return gated_linear(c, x, by_squares, w, Activation::silu); }),
        named(params::activation_silu, product | params::chain_rms_norms | params::chain_pairs));
    commands.keep_trace(false);
}

TEST_F(ChainTest, may_have_more_links_than_a_workgroup_holds) {
    const Tensor start = row(64, Type::f32);
    const Norm over = norm(64);
    const Linear w = layer(64, 64);
    expect_alike("70 links", half_error, [&](Commands& c) {
        const Tensor x = layer_norm(c, start, over, Type::f32);
        for (int i = 0; i < 23; ++i) {
            layer_norm_into(c, x, x, over);
            linear_add(c, x, norm_linear(c, x, over, w, Activation::relu), w);
        }
        return x;
    });
}

// A workgroup that reads data before another has written it would change some bit at some time.
TEST_F(ChainTest, ten_thousand_steps_give_the_same_bits_again) {
    constexpr uint32_t dim = 264, links = 100;  // each reads the result of the one before
    const uint32_t chains = device.is_cpu() ? 5 : 100;
    const Norm over = norm(dim);
    const Linear up = layer(2 * dim, dim), down = layer(dim, 2 * dim);
    commands.use_plain_kernels(false);
    for (uint32_t count : {1u, 3u}) {
        const Tensor start = rows(count, dim, Type::f32);
        auto steps = [&] {
            std::vector<float> all;
            Tensor x = start;
            for (uint32_t i = 0; i < chains; ++i) {
                const std::vector<float> now = run([&](Commands& c) {
                    auto scope = c.scope("chained");
                    const Chain chain(c);
                    const Tensor y = layer_norm(c, x, over, Type::f32);
                    for (uint32_t link = 1; link < links; link += 3) {
                        const Tensor h = norm_linear(c, y, over, up, Activation::gelu_tanh);
                        linear_add(c, y, h, down);
                        layer_norm_into(c, y, y, over);
                    }
                    return y;
                });
                EXPECT_EQ(commands.counts().dispatches, 1u);
                all.insert(all.end(), now.begin(), now.end());
                x = tensor(count, 1, dim, Type::f32, now);
            }
            return all;
        };
        const std::vector<float> once = steps(), again = steps();
        EXPECT_TRUE(std::ranges::all_of(once, [](float v) { return std::isfinite(v); }));
        EXPECT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof(float)), 0)
            << count << " rows";
    }
}

// Software Vulkan runs a workgroup to its end before the next one: they cannot meet, which is an
// Error.
TEST_F(ChainTest, workgroups_that_cannot_meet_are_an_error_and_no_endless_wait) {
    if (!device.is_cpu()) GTEST_SKIP() << "the workgroups of a GPU can meet";
    Device many(device.instance(), device.info(),
                {.chain_workgroups = 64, .extensions = {}, .pipeline_cache = {}});
    Arena scratch(many, "scratch");
    Commands c(many, scratch, "stuck");
    c.begin();
    {
        auto scope = c.scope("test");
        const Chain chain(c);
        Norm over{c.scratch(1, 1, 8, Type::f32), c.scratch(1, 1, 8, Type::f32)};
        const Tensor x = c.scratch(1, 1, 8, Type::f32);
        for (int i = 0; i < 3; ++i) layer_norm_into(c, x, x, over);
    }
    c.end();
    try {
        c.run();
        FAIL() << "the chain came to an end";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("--no-chains"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace saccade
