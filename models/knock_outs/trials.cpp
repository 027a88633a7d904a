#include "models/knock_outs/trials.h"

#include <algorithm>

#include "gpu/core/check.h"
#include "gpu/core/device.h"

namespace saccade {

namespace {
// A GPU is filled by a batch; software Vulkan gains nothing from one beyond a few.
constexpr uint32_t usual_on_gpu = 64, usual_on_cpu = 8;

// The largest batch whose tensors a kernel can bind: inner tensors are a few times as large as the
// input.
uint32_t most_at_once(const Device& device, const PictureInput& input, Type type) {
    constexpr uint64_t times_as_large = 4;
    const uint64_t each =
        times_as_large * tensor_bytes(1, input.patches(), input.patch_columns(), type);
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(device.limits().storage_range / each, 1, UINT32_MAX));
}
}  // namespace

Trials::Trials(Device& device, Arena& scratch, const PictureInput& input, Type type,
               const MaskedPicture& picture, const TrialOptions& options)
    : device_(device),
      scratch_(scratch),
      input_(device, scratch, input, type, options.most_cells, picture, options.instead),
      at_once_(options.at_once > 0 ? options.at_once
                                   : (device.is_cpu() ? usual_on_cpu : usual_on_gpu)),
      off_(options.off),
      encoder_(options.head_instead),
      decoder_(options.head_instead) {
    at_once_ = std::min(at_once_, most_at_once(device, input, type));
}

Trials::~Trials() = default;

// A model whose batch does not fit into the device's memory takes fewer pictures at a time.
Trials::Recording& Trials::recording(bool with_heads) {
    std::unique_ptr<Recording>& own = with_heads ? heads_ : cells_;
    // Both share the downloads and the mask, so the other is recorded again when it is next wanted.
    if (own && latest_ == own.get()) return *own;
    latest_ = nullptr;
    (with_heads ? cells_ : heads_).reset();
    for (;; at_once_ = std::max(1u, at_once_ / 2)) {
        try {
            own.reset(new Recording{Commands(device_, scratch_, "knock-outs"), at_once_});
            Commands& c = own->commands;
            c.begin();
            {
                auto scope = c.scope("knock-outs");
                const Tensor patches = input_.record(c, at_once_);
                record(c, patches,
                       with_heads ? Parts{&encoder_, &decoder_} : Parts{nullptr, nullptr});
            }
            c.end();
            latest_ = own.get();
            return *own;
        } catch (const OutOfMemory&) {
            if (at_once_ == 1) throw;
        }
    }
}

std::vector<uint32_t> Trials::heads() {
    if (!heads_) recording(true);
    std::vector<uint32_t> result;
    for (const KnockOuts* part : {&encoder_, &decoder_})
        for (const auto& [layer, heads] : part->heads()) result.push_back(heads);
    return result;
}

void Trials::prepare(std::span<const KnockOut> some, bool with_heads) {
    input_.put_all_back();
    for (uint32_t i = 0; i < some.size(); ++i) input_.knock_out(i, some[i].cells);
    input_.flush();
    if (!with_heads) return;
    for (KnockOuts* part : {&encoder_, &decoder_}) part->switch_all_on();
    const std::map<uint32_t, uint32_t> first = encoder_.heads();
    const auto layers = static_cast<uint32_t>(first.size());
    const auto switch_off = [&](uint32_t run, const HeadAt& at) {
        (at.layer < layers ? encoder_ : decoder_)
            .switch_off(run, at.layer < layers ? at.layer : at.layer - layers, at.head);
    };
    for (uint32_t i = 0; i < some.size(); ++i) {
        for (const HeadAt& at : off_) switch_off(i, at);
        for (const HeadAt& at : some[i].heads) switch_off(i, at);
    }
}

std::vector<Reading> Trials::run(std::span<const KnockOut> all) {
    const bool with_heads = !off_.empty() || std::ranges::any_of(all, [](const KnockOut& one) {
        return !one.heads.empty();
    });
    std::vector<Reading> result;
    while (result.size() < all.size()) {
        Recording& now = recording(with_heads);
        const auto left = static_cast<uint32_t>(all.size() - result.size());
        const std::span<const KnockOut> some =
            all.subspan(result.size(), std::min(left, now.batch));
        prepare(some, with_heads);
        now.commands.run();
        const std::vector<Reading> got = read(static_cast<uint32_t>(some.size()));
        result.insert(result.end(), got.begin(), got.end());
    }
    runs_ += static_cast<uint32_t>(all.size());
    return result;
}

uint32_t TrialList::run_some(Trials& trials, uint32_t most) {
    const std::span<const KnockOut> left = std::span(all_).subspan(readings_.size());
    const std::span<const KnockOut> some = left.first(std::min<size_t>(left.size(), most));
    if (some.empty()) return 0;
    const std::vector<Reading> got = trials.run(some);
    readings_.insert(readings_.end(), got.begin(), got.end());
    return static_cast<uint32_t>(some.size());
}

}  // namespace saccade
