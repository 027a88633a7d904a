#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/recorder/commands.h"
#include "shaders/chains/params.h"

namespace saccade {

// What a link requires of the chain's kernel, which is built once for all links. Zero: nothing.
struct LinkTraits {
    uint32_t rows = 1;        // the same for all links
    uint32_t head = 0;        // columns of a head of attention, the same for all links
    uint32_t activation = 0;  // the same for all links
    uint32_t columns = 0;  // of the row that a product reads; the kernel has room for the longest
    uint32_t uses = 0;     // params::chain_layer_norms and so on
};

template <typename Link>
inline constexpr uint32_t link_kind = UINT32_MAX;
template <>
inline constexpr uint32_t link_kind<params::ProductLink> = params::link_product;
template <>
inline constexpr uint32_t link_kind<params::AttentionLink> = params::link_attention;
template <>
inline constexpr uint32_t link_kind<params::NormLink> = params::link_norm;
template <>
inline constexpr uint32_t link_kind<params::EmbeddingLink> = params::link_embedding;
template <>
inline constexpr uint32_t link_kind<params::PickPartLink> = params::link_pick_part;
template <>
inline constexpr uint32_t link_kind<params::PickMergeLink> = params::link_pick_merge;

// The links of the chain that is being recorded. A flush records them as one dispatch of
// chain.comp, with one workgroup for each core of the device.
class ChainProgram : public DeferredWork {
public:
    explicit ChainProgram(Commands& commands) : commands_(commands) {}

    // The program of a recording where a Chain lives; null elsewhere.
    static ChainProgram* open_in(const Commands& commands);
    void set_open(bool open) { open_ = open; }

    // The link reads `read_early` before the links before it have finished.
    template <typename Link>
    void add(const Link& link, const LinkTraits& traits, std::initializer_list<Use> uses,
             std::span<const Tensor> read_early = {}) {
        static_assert(link_kind<Link> != UINT32_MAX && sizeof(Link) <= sizeof(Record::fields));
        Record record{.kind = link_kind<Link>};
        const auto words = std::bit_cast<std::array<uint32_t, sizeof(Link) / 4>>(link);
        std::ranges::copy(words, record.fields);
        add(record, traits, std::span(uses.begin(), uses.size()), read_early);
    }

    void flush() override;
    void clear() override;
    void check() const override;

private:
    // A link as chain.comp reads it.
    struct Record {
        uint32_t kind = 0;
        uint32_t waits = 0;    // 1: the links before it must have finished
        uint32_t arrives = 0;  // 1: the next link waits for it
        uint32_t unused = 0;
        uint32_t fields[params::link_words - params::link_header_words] = {};
    };
    static_assert(sizeof(Record) == params::link_words * sizeof(uint32_t));

    void add(Record record, const LinkTraits& traits, std::span<const Use> uses,
             std::span<const Tensor> read_early);
    bool goes_with(const LinkTraits& traits) const;
    bool writes(const Tensor& tensor) const;
    Kernel kernel() const;

    Commands& commands_;
    bool open_ = false;
    std::vector<Record> links_;
    LinkTraits traits_;            // of all links
    Hazards hazards_;              // since the last link that waits
    std::vector<Access> written_;  // by all links
    uint64_t bytes_ = 0;           // that links read and write
    Buffer stuck_;                 // a word that is set where workgroups could not meet
};

}  // namespace saccade
