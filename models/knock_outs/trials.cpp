#include "models/knock_outs/trials.h"

#include <algorithm>
#include <tuple>

#include "gpu/core/check.h"
#include "gpu/core/device.h"
#include "gpu/core/error.h"

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
               const TokenLayout& tokens, const MaskedPicture& picture, const TrialOptions& options)
    : device_(device),
      scratch_(scratch),
      input_(device, scratch, input, type, options.most_cells, picture, options.instead),
      instead_(options.instead),
      at_once_(options.at_once > 0 ? options.at_once
                                   : (device.is_cpu() ? usual_on_cpu : usual_on_gpu)),
      off_(options.off),
      encoder_(options.head_instead),
      decoder_(options.head_instead) {
    at_once_ = std::min(at_once_, most_at_once(device, input, type));
    if (is_of_tokens(instead_)) token_cells_.emplace(tokens, options.most_cells);
    geometry_ = token_cells_ ? token_cells_->geometry(input.plan()) : input_.geometry();
}

void Trials::require_tokens(CellInstead instead, const TokensOf& can) {
    if (instead == CellInstead::drop && !can.left_out)
        throw Error(
            "no token can be left out of this model: it is not a plain ViT with a token besides "
            "the patches; knock cells out to blank, or blur them");
    if (instead == CellInstead::hide && !can.hidden)
        throw Error(
            "no token can be hidden from this model's decoder: it has none that attends to the "
            "encoder's tokens one by one; knock cells out to blank, or blur them");
}

Trials::~Trials() = default;

// A model whose batch does not fit into the device's memory takes fewer pictures at a time.
Trials::Recording& Trials::recording(const Work& work) {
    std::unique_ptr<Recording>& own = work.heads ? heads_ : cells_;
    // Both share the downloads and the mask, so the other is recorded again when it is next wanted.
    if (own && latest_ == own.get() && own->tokens.left_out() == work.left_out) return *own;
    latest_ = nullptr;
    cells_.reset();
    heads_.reset();
    for (;; at_once_ = std::max(1u, at_once_ / 2)) {
        try {
            own.reset(new Recording{Commands(device_, scratch_, "knock-outs"), at_once_,
                                    TokenChoice(work.left_out)});
            Parts parts;
            if (work.heads) parts = {.encoder = &encoder_, .decoder = &decoder_};
            if (work.left_out > 0)
                (instead_ == CellInstead::drop ? parts.left_out : parts.hidden) = &own->tokens;
            Commands& c = own->commands;
            c.begin();
            {
                auto scope = c.scope("knock-outs");
                const Tensor patches = input_.record(c, at_once_);
                record(c, patches, parts);
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
    if (!heads_) recording({.heads = true});
    std::vector<uint32_t> result;
    for (const KnockOuts* part : {&encoder_, &decoder_})
        for (const auto& [layer, heads] : part->heads()) result.push_back(heads);
    return result;
}

std::vector<std::string> Trials::layers() {
    if (!heads_) recording({.heads = true});
    std::vector<std::string> result;
    for (const auto& [layer, heads] : encoder_.heads())
        result.push_back("encoder " + std::to_string(layer));
    for (const auto& [layer, heads] : decoder_.heads()) result.push_back(decoder_layer(layer));
    return result;
}

// Those that share a recording are neighbours.
std::vector<Trials::Run> Trials::runs_of(std::span<const KnockOut> all) const {
    const bool heads = !off_.empty() || std::ranges::any_of(all, [](const KnockOut& one) {
        return !one.heads.empty();
    });
    std::vector<Run> runs;
    for (size_t i = 0; i < all.size(); ++i) {
        Run& run = runs.emplace_back(Run{i, {}, {.heads = heads}});
        if (!token_cells_) continue;
        run.tokens = token_cells_->tokens_of(all[i].cells);
        // One token stays where the decoder is to see none, and no head looks at it.
        run.work.blind = !token_cells_->has_others() && run.tokens.size() == token_cells_->tokens();
        if (run.work.blind) {
            run.tokens.pop_back();
            run.work.heads = true;
        }
        run.work.left_out = static_cast<uint32_t>(run.tokens.size());
    }
    std::ranges::stable_sort(
        runs, {}, [](const Run& run) { return std::tuple(run.work.blind, run.work.left_out); });
    return runs;
}

void Trials::switch_heads_off(uint32_t run, const KnockOut& without, bool blind) {
    const auto layers = static_cast<uint32_t>(encoder_.heads().size());
    const auto switch_off = [&](const HeadAt& at) {
        (at.layer < layers ? encoder_ : decoder_)
            .switch_off(run, at.layer < layers ? at.layer : at.layer - layers, at.head);
    };
    for (const HeadAt& at : off_) switch_off(at);
    for (const HeadAt& at : without.heads) switch_off(at);
    if (!blind) return;
    for (const auto& [layer, heads] : decoder_.heads())
        for (uint32_t head = 0; head < heads && sees_picture(layer); ++head)
            decoder_.switch_off(run, layer, head);
}

void Trials::prepare(std::span<const KnockOut> all, std::span<const Run> some, Recording& now) {
    input_.put_all_back();
    const Work& work = some.front().work;
    if (work.heads)
        for (KnockOuts* part : {&encoder_, &decoder_}) part->switch_all_on();
    for (uint32_t i = 0; i < some.size(); ++i) {
        const KnockOut& without = all[some[i].index];
        if (!token_cells_) input_.knock_out(i, without.cells);
        if (work.left_out > 0) now.tokens.leave_out(i, some[i].tokens);
        if (work.heads) switch_heads_off(i, without, work.blind);
    }
    input_.flush();
    if (work.left_out > 0) now.tokens.flush();
}

std::vector<Reading> Trials::run(std::span<const KnockOut> all) {
    const std::vector<Run> runs = runs_of(all);
    std::vector<Reading> result(all.size());
    for (size_t done = 0; done < runs.size();) {
        const Work& work = runs[done].work;
        Recording& now = recording(work);
        size_t end = done;
        while (end < runs.size() && end - done < now.batch &&
               runs[end].work.left_out == work.left_out && runs[end].work.blind == work.blind)
            ++end;
        const std::span<const Run> some = std::span(runs).subspan(done, end - done);
        prepare(all, some, now);
        now.commands.run();
        const std::vector<Reading> got = read(static_cast<uint32_t>(some.size()));
        for (size_t i = 0; i < some.size(); ++i) result[some[i].index] = got[i];
        done = end;
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
