#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/ops/words.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class ChooseBeamsTest : public GpuTest {
protected:
    static constexpr float never = -3.402823466e38f;
    static constexpr uint32_t nothing = 0xffffffff;
    using Ids = std::vector<uint32_t>;

    void SetUp() override {
        if (!device.features().float64) GTEST_SKIP() << "this device has no fp64";
    }

    // Words in memory that the test can read and write.
    struct Held {
        Held(Device& device, uint32_t batch, uint32_t rows, uint32_t columns, Type type)
            : memory(device, "held", tensor_bytes(batch, rows, columns, type), Memory::readback),
              tensor(make_tensor(memory.handle(), 0, batch, rows, columns, type)) {
            std::ranges::fill(memory.mapped(), std::byte{0});
        }
        template <typename T>
        T& at(uint32_t batch, uint32_t row, uint32_t column = 0) {
            auto* const all = reinterpret_cast<T*>(memory.mapped().data());
            return all[batch * tensor.batch_stride + row * tensor.row_stride + column];
        }
        Buffer memory;
        Tensor tensor;
    };

    struct Beam {
        uint32_t parent = 0;
        Ids ids;
        double sum = 0;
        bool operator==(const Beam&) const = default;
    };
    struct Candidate {
        uint32_t beam = 0, word = 0;
        float value = 0;
    };

    // The rule in the kernel's head, in doubles on the host.
    static std::vector<Beam> reference(const std::vector<Beam>& running,
                                       const std::vector<Candidate>& candidates,
                                       const std::vector<float>& less, const Ids& stops,
                                       uint32_t beams, uint32_t ranked) {
        std::vector<Beam> longer;
        for (const Candidate& c : candidates) {
            if (c.word == nothing) continue;
            Beam beam = running[c.beam];
            beam.parent = c.beam;
            beam.ids.push_back(c.word);
            beam.sum += double(c.value) - double(less[c.beam]);
            longer.push_back(beam);
        }
        std::ranges::stable_sort(longer, std::greater(), &Beam::sum);
        longer.resize(std::min<size_t>(longer.size(), ranked));
        std::erase_if(longer, [&](const Beam& b) {
            return std::ranges::find(stops, b.ids.back()) != stops.end();
        });
        longer.resize(std::min<size_t>(longer.size(), beams));
        return longer;
    }

    // Some steps of a search with artificial scores, score(beam, candidate).
    template <typename Score>
    void expect_as_reference(const std::string& what, uint32_t pictures, uint32_t beams, uint32_t k,
                             const Ids& stops, Score score) {
        constexpr uint32_t steps = 4, vocabulary = 1000;
        const uint32_t all = pictures * beams;
        Held values(device, all, 1, k, Type::f32), words(device, all, 1, k, Type::u32);
        Held less(device, all, 1, 1, Type::f32), parents(device, 1, 1, all, Type::u32);
        Held sums(device, 1, 1, 2 * all, Type::u32);
        Held ids[2] = {{device, all, steps + 1, 1, Type::u32},
                       {device, all, steps + 1, 1, Type::u32}};
        const Tensor ends = stops.empty() ? Tensor{} : this->ids(stops);
        std::vector<std::vector<Beam>> searches(pictures, {Beam{0, {7}, 0}});
        for (uint32_t picture = 0; picture < pictures; ++picture)
            ids[0].at<uint32_t>(picture * beams, 0) = 7;
        for (uint32_t step = 0; step < steps; ++step) {
            std::vector<std::vector<Beam>> wanted;
            for (uint32_t picture = 0; picture < pictures; ++picture) {
                std::vector<Candidate> candidates;
                std::vector<float> less_of;
                for (uint32_t b = 0; b < searches[picture].size(); ++b) {
                    const uint32_t row = picture * beams + b;
                    less_of.push_back(less.at<float>(row, 0) = 2 + random(1)[0]);
                    for (uint32_t i = 0; i < k; ++i) {
                        Candidate c = score(row, i);
                        c.beam = b;
                        values.at<float>(row, 0, i) = c.value;
                        words.at<uint32_t>(row, 0, i) = c.word;
                        candidates.push_back(c);
                    }
                }
                wanted.push_back(
                    reference(searches[picture], candidates, less_of, stops, beams, k));
            }
            for (const Held* held : {&values, &words, &less, &ids[step % 2]}) held->memory.flush();
            commands.begin();
            choose_beams(commands, {.candidates = {values.tensor, words.tensor},
                                    .less = less.tensor,
                                    .stops = ends,
                                    .before = ids[step % 2].tensor,
                                    .after = ids[(step + 1) % 2].tensor,
                                    .parents = parents.tensor,
                                    .sums = sums.tensor,
                                    .beams = beams,
                                    .ranked = k,
                                    .said = step + 1,
                                    .vocabulary = vocabulary,
                                    .first = step == 0});
            commands.end();
            commands.run();
            for (const Held* held : {&parents, &sums, &ids[(step + 1) % 2]})
                held->memory.invalidate();
            for (uint32_t picture = 0; picture < pictures; ++picture) {
                searches[picture] = wanted[picture];
                ASSERT_FALSE(wanted[picture].empty()) << what;
                for (uint32_t b = 0; b < wanted[picture].size(); ++b) {
                    const uint32_t row = picture * beams + b;
                    Beam found{parents.at<uint32_t>(0, 0, row) - picture * beams, {}, 0};
                    for (uint32_t i = 0; i <= step + 1; ++i)
                        found.ids.push_back(ids[(step + 1) % 2].at<uint32_t>(row, i));
                    std::memcpy(&found.sum, &sums.at<uint32_t>(0, 0, 2 * row), sizeof found.sum);
                    EXPECT_EQ(found, wanted[picture][b])
                        << what << ", step " << step << ", picture " << picture << ", beam " << b;
                }
            }
        }
    }
    uint32_t any(uint32_t below) {
        return std::min(below - 1, static_cast<uint32_t>((random(1)[0] + 1) / 2 * float(below)));
    }
};

TEST_F(ChooseBeamsTest, the_best_sums_go_on_and_those_that_end_do_not) {
    for (uint32_t beams : {2u, 3u, 5u})
        for (const Ids& stops : {Ids{}, Ids{3}, Ids{1, 4, 5}}) {
            const auto k = std::max(2u, 1 + uint32_t(stops.size())) * beams;
            expect_as_reference(
                std::to_string(beams) + " beams", 2, beams, k, stops, [&](uint32_t, uint32_t i) {
                    // Some words of each beam are among the stops, each once.
                    return Candidate{0, i < 4 ? i + 2 : 10 + any(900), 4 * random(1)[0]};
                });
        }
}

// Scores that are equal, or whose sums differ by less than fp32 resolves.
TEST_F(ChooseBeamsTest, equal_sums_keep_the_order_of_beams_and_candidates) {
    expect_as_reference("a few scores", 1, 3, 6, {3}, [&](uint32_t, uint32_t i) {
        return Candidate{0, i == 2 ? 3 : 20 + i, std::floor(2 * random(1)[0])};
    });
    expect_as_reference("words that are out", 1, 3, 6, {3}, [&](uint32_t row, uint32_t i) {
        return Candidate{0, 20 + 6 * row + i, i == 0 ? 1.0f : never};
    });
}

TEST_F(ChooseBeamsTest, where_candidates_run_out_a_beam_stays_empty) {
    expect_as_reference("two words in all", 1, 4, 8, {}, [&](uint32_t, uint32_t i) {
        return i < 2 ? Candidate{0, 20 + i, random(1)[0]} : Candidate{0, nothing, 0.0f};
    });
}

}  // namespace
}  // namespace saccade
