#include "app/live/state/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace saccade {

ChosenMaps maps_under_mouse(Session& session) {
    Wishes::Look& look = session.wishes.look;
    if (session.pointer.over_second && look.second.kind == SecondView::Kind::maps)
        return {look.second.attention, look.second.model, session.status.second_choices};
    return {look.attention, look.model, session.status.choices};
}

void next_attention_mode(Session& session) {
    AttentionMode& mode = maps_under_mouse(session).attention.mode;
    const auto* now = std::ranges::find(attention_modes, mode);
    mode = now + 1 == std::end(attention_modes) ? attention_modes[0] : *(now + 1);
}

void step_layer(Session& session, int by) {
    const ChosenMaps maps = maps_under_mouse(session);
    const int last = static_cast<int>(maps.choices.layers) - 1;
    const int now = std::min(static_cast<int>(maps.attention.layer), last);
    maps.attention.layer = static_cast<uint32_t>(std::clamp(now + by, 0, last));
}

void choose_head(Session& session, uint32_t head) {
    const ChosenMaps maps = maps_under_mouse(session);
    if (head >= maps.choices.heads) return;
    maps.attention.head = head;
    maps.attention.mode = AttentionMode::head;
}

void choose_second_view(Wishes& wishes, SecondView::Kind kind) {
    SecondView& second = wishes.look.second;
    const SecondView::Kind before = std::exchange(second.kind, kind);
    if (kind != SecondView::Kind::maps || before == kind) return;
    // To begin with, the same maps of the other model.
    second.attention = wishes.look.attention;
    if (second.attention.mode == AttentionMode::off) second.attention.mode = AttentionMode::mean;
    second.model = other(wishes.look.model);
}

void next_second_view(Wishes& wishes) {
    using enum SecondView::Kind;
    const SecondView::Kind now = wishes.look.second.kind;
    choose_second_view(wishes, now == off ? bare : now == bare ? maps : off);
}

void add_example(Wishes& wishes, const Rectangle& box) {
    wishes.examples.push_back({++wishes.last_example, box});
}

void drop_example(Wishes& wishes, const std::string& name) {
    std::erase_if(wishes.examples,
                  [&](const ExampleBox& example) { return name_of(example) == name; });
}

void choose_source(Session& session, SourceName source) {
    Wishes& wishes = session.wishes;
    if (std::ranges::find(wishes.sources, source) == wishes.sources.end()) wishes.sources.clear();
    wishes.source = std::move(source);
    wishes.frozen = false;
    session.events.add(OpenSource{});
}

void choose_sources(Session& session, std::vector<SourceName> sources) {
    if (sources.empty()) return;
    session.wishes.sources = std::move(sources);
    choose_source(session, session.wishes.sources.front());
}

void step_source(Session& session, int by) {
    const std::vector<SourceName>& sources = session.wishes.sources;
    const int count = static_cast<int>(sources.size());
    const auto now = std::ranges::find(sources, session.wishes.source);
    if (count < 2 || now == sources.end()) return;
    const int at = static_cast<int>(now - sources.begin());
    choose_source(session, sources[static_cast<size_t>((at + by + count) % count)]);
}

void step_frame(Session& session, int by) {
    session.wishes.frozen = true;
    session.events.add(Seek{.by = by});
}

}  // namespace saccade
