#include "gpu/chains/chain_program.h"

#include <algorithm>
#include <utility>

#include "gpu/chains/chain.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr uint32_t threads = 256;
// Polls after which a workgroup stops waiting for the others of its chain: some seconds. A chain
// takes less than a millisecond.
constexpr uint32_t patience = 1 << 22;

}  // namespace

Chain::Chain(Commands& commands) : commands_(commands) {
    if (!commands.device().features().chains || commands.plain_kernels()) return;
    if (!commands.deferred()) commands.defer(std::make_unique<ChainProgram>(commands));
    if (auto* program = dynamic_cast<ChainProgram*>(commands.deferred())) program->set_open(true);
}

Chain::~Chain() {
    if (ChainProgram* program = ChainProgram::open_in(commands_)) program->set_open(false);
}

ChainProgram* ChainProgram::open_in(const Commands& commands) {
    auto* program = dynamic_cast<ChainProgram*>(commands.deferred());
    return program && program->open_ ? program : nullptr;
}

bool ChainProgram::goes_with(const LinkTraits& traits) const {
    const auto agree = [](uint32_t a, uint32_t b) { return a == 0 || b == 0 || a == b; };
    return traits.rows == traits_.rows && agree(traits.head, traits_.head) &&
           agree(traits.activation, traits_.activation);
}

bool ChainProgram::writes(const Tensor& tensor) const {
    return std::ranges::any_of(written_, [&](const Access& access) {
        for (uint32_t batch = 0; batch < tensor.batch; ++batch)
            if (overlap(access, access_of(read(tensor.at_batch(batch))))) return true;
        return false;
    });
}

void ChainProgram::add(Record record, const LinkTraits& traits, std::span<const Use> uses,
                       std::span<const Tensor> read_early) {
    if (!goes_with(traits) ||
        std::ranges::any_of(read_early, [&](const Tensor& t) { return writes(t); }))
        flush();
    if (links_.empty()) {
        hazards_.barrier();
        written_.clear();
        traits_ = {.rows = traits.rows};
    }
    traits_.head = std::max(traits_.head, traits.head);
    traits_.activation = std::max(traits_.activation, traits.activation);
    traits_.columns = std::max(traits_.columns, traits.columns);
    traits_.uses |= traits.uses | 1u << record.kind;

    if (std::ranges::any_of(uses, [&](const Use& u) { return hazards_.conflicts(access_of(u)); })) {
        record.waits = 1;
        links_.back().arrives = 1;
        hazards_.barrier();
    }
    for (const Use& use : uses) {
        hazards_.add(access_of(use));
        // Batch by batch: what lies between two rows may be read early.
        for (uint32_t batch = 0; use.how != Use::How::read && batch < use.tensor.batch; ++batch)
            written_.push_back(access_of(write(use.tensor.at_batch(batch))));
        bytes_ += bytes_moved(use);
    }
    links_.push_back(record);
}

Kernel ChainProgram::kernel() const {
    const auto& [rows, head, activation, columns, uses] = traits_;
    // Attention keeps two eights of partial sums for each thread in the memory of the rows.
    const uint32_t eights = std::max(padded(columns) / 8, (2 * threads + rows - 1) / rows);
    return {"chain", {threads, std::max(head / 8, 1u), activation, uses, rows, eights}};
}

void ChainProgram::flush() {
    if (links_.empty()) return;
    const std::vector<Record> links = std::exchange(links_, {});
    Device& device = commands_.device();
    if (!stuck_) {
        stuck_ = Buffer(device, "stuck", tensor_bytes(1, 1, 1, Type::u32), Memory::readback);
        std::ranges::fill(stuck_.mapped(), std::byte{0});
        stuck_.flush();
    }
    const params::ChainParams p{static_cast<uint32_t>(links.size()), patience};
    commands_.dispatch_alone(
        kernel(), {threads * device.limits().cores},
        {read(commands_.constants(std::as_bytes(std::span(links)))), read_write(commands_.zeros(2)),
         read_write(make_tensor(stuck_.handle(), 0, 1, 1, 1, Type::u32))},
        p, std::exchange(bytes_, 0));
}

void ChainProgram::clear() {
    links_.clear();
    bytes_ = 0;
}

void ChainProgram::check() const {
    if (!stuck_) return;
    stuck_.invalidate();
    if (stuck_.mapped()[0] == std::byte{0}) return;
    throw Error(commands_.device().info().name + " does not run the workgroups of '" +
                commands_.name() + "' at the same time; run it again with --no-chains");
}

}  // namespace saccade
