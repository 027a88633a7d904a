#include "app/frame_pipeline.h"

#include <algorithm>
#include <utility>

#include "gpu/error.h"

namespace saccade {

namespace {

constexpr size_t groups_on_their_way = 2;
// Words that are asked for before it is looked whether the caption has ended.
constexpr uint32_t words_at_once = 8;

// A frame's part in what `frames` of them took.
void add_times(FrameResult& result, const Commands& commands, size_t frames = 1) {
    for (const ScopeTime& time : commands.times())
        result.ms.emplace_back(time.name, time.ms / double(frames));
}

}  // namespace

uint32_t frames_at_once(const DeviceInfo& device) {
    constexpr uint64_t gib = uint64_t{1} << 30;
    if (device.kind == DeviceKind::cpu || device.memory_bytes < 4 * gib) return 1;
    return device.memory_bytes < 12 * gib ? 2 : 4;
}

FramePipeline::Lane::Lane(Engine& engine, size_t i)
    : index(i),
      caption(engine.device(), engine.scratch(), "caption"),
      draw(engine.device(), engine.scratch(), "draw") {}

FramePipeline::Group::Group(Engine& engine, std::vector<Lane*> members)
    : lanes(std::move(members)), look(engine.device(), engine.scratch(), "look") {}

FramePipeline::FramePipeline(Engine& engine, ModelsInUse& models, FramePipelineOptions options)
    : engine_(engine), models_(models), options_(std::move(options)) {
    const bool looks = options_.draw && options_.attention.kind != AttentionKind::none;
    if (looks) options_.at_once = 1;
    const size_t at_once = options_.at_once, groups = at_once == 1 ? 6 : 4;
    for (size_t i = 0; i < groups * at_once; ++i) {
        lanes_.push_back(std::make_unique<Lane>(engine, i));
        if (looks) lanes_.back()->view.emplace(engine, models, options_.attention);
    }
    for (size_t i = 0; i < lanes_.size(); i += at_once) {
        std::vector<Lane*> members;
        for (size_t j = 0; j < at_once; ++j) members.push_back(lanes_[i + j].get());
        groups_.push_back(std::make_unique<Group>(engine, members));
        if (!looks) continue;
        groups_.back()->detection_taps = lanes_[i]->view->detection_taps();
        groups_.back()->classifier_tap = lanes_[i]->view->classifier_tap();
    }
}

FramePipeline::~FramePipeline() {
    try {
        while (!empty()) finish();
    } catch (const std::exception&) {
        // Whoever could still be told has been: the device is lost.
    }
}

MakeSlot FramePipeline::make_slot() {
    return [this](size_t slot, ImageSize size) {
        Lane& lane = *lanes_.at(slot);
        if (!lane.frame || lane.frame->width() != size.width ||
            lane.frame->height() != size.height) {
            lane.recorded = false;
            lane.frame.reset();
            lane.frame = std::make_unique<Frame>(engine_.device(), size.width, size.height, true);
        }
        return slot_of(*lane.frame);
    };
}

bool FramePipeline::has_room_for(const TakenFrame& frame) const {
    return empty() || (on_their_way_.size() < groups_on_their_way * options_.at_once &&
                       frame.info().size == size_);
}

void FramePipeline::begin(TakenFrame frame) {
    Lane& lane = *lanes_.at(frame.slot());
    if (frame.info().size != size_) prepare(frame.info().size);
    // After frames that were left out, slots go on in another group.
    if (!gathered_.empty() && &group_of(*gathered_.front()) != &group_of(lane)) look();
    lane.taken = std::move(frame);
    lane.said.reset();
    lane.frame->flush();
    on_their_way_.push_back(&lane);
    gathered_.push_back(&lane);
    if (&lane == group_of(lane).lanes.back()) look();
}

// At the frames that have gathered.
void FramePipeline::look() {
    const std::vector<Lane*> lanes = std::exchange(gathered_, {});
    Group& group = group_of(*lanes.front());
    std::vector<const Image*> images;
    for (Lane* lane : group.lanes)
        images.push_back(std::ranges::find(lanes, lane) != lanes.end() ? &lane->frame->image()
                                                                       : nullptr);
    const bool renewed = std::ranges::any_of(lanes, [](Lane* lane) { return !lane->recorded; });
    if (renewed || images != group.images) record(group, images);
    for (Lane* lane : lanes)
        if (!lane->recorded) record(*lane);
    group.frames = lanes.size();
    group.looked = group.look.submit();
    for (Lane* lane : lanes) {
        // While the device looks at this frame, the one before gets its caption drawn.
        if (being_captioned_) finish_caption();
        if (models_.captioner)
            begin_caption(*lane);
        else
            draw(*lane);
    }
}

void FramePipeline::prepare(ImageSize size) {
    if (!empty()) throw Error("frames of another size are still on their way");
    if (models_.detector) models_.detector->prepare(size, options_.within);
    if (models_.classifier) models_.classifier->input().prepare(size);
    if (models_.captioner) models_.captioner->prepare(size);
    overlay_.reset();
    if (options_.draw) {
        const ResultLabels names = labels();
        overlay_.emplace(engine_.device(), size, OverlayLabels{names.detector, names.classifier},
                         static_cast<uint32_t>(slots()));
        overlay_->settings.filter = options_.filter;
        overlay_->settings.most_classes = options_.classes;
    }
    for (const std::unique_ptr<Lane>& lane : lanes_) lane->recorded = false;
    size_ = size;
}

void FramePipeline::record(Group& group, std::vector<const Image*> images) {
    group.images.clear();  // what follows may throw half-way
    std::vector<Findings*> findings;
    std::vector<Ranking*> rankings;
    for (Lane* lane : group.lanes) {
        findings.push_back(&lane->findings);
        rankings.push_back(&lane->ranking);
    }
    group.look.begin();
    {
        auto scope = group.look.scope("upload");
        for (size_t i = 0; i < images.size(); ++i)
            if (images[i]) group.lanes[i]->frame->record(group.look);
    }
    if (models_.detector)
        models_.detector->record(group.look, images, group.detection_taps, findings);
    if (models_.classifier)
        models_.classifier->record(group.look, images, group.classifier_tap, rankings);
    group.look.end();
    group.images = std::move(images);
}

void FramePipeline::record(Lane& lane) {
    const Image& image = lane.frame->image();
    if (models_.captioner) {
        lane.caption.begin();
        models_.captioner->record(lane.caption, image);
        lane.caption.end();
    }

    if (options_.draw) {
        lane.readback =
            std::make_unique<Readback>(engine_.device(), size_.width, size_.height, true);
        OverlayInput input;
        if (models_.detector) input.found = lane.findings.found();
        if (models_.classifier) input.classes = lane.ranking.on_device();
        if (lane.view) {
            lane.view->prepare();
            input.maps = lane.view->map();
            input.geometry = lane.view->geometry();
        }
        lane.draw.begin();
        {
            auto scope = lane.draw.scope("draw");
            overlay_->record(lane.draw, image, input, static_cast<uint32_t>(lane.index));
        }
        {
            auto scope = lane.draw.scope("readback");
            lane.readback->record(lane.draw, image);
        }
        lane.draw.end();
    }
    lane.recorded = true;
}

void FramePipeline::begin_caption(Lane& lane) {
    lane.caption.submit();
    models_.captioner->start();
    models_.captioner->advance(words_at_once);
    being_captioned_ = &lane;
}

void FramePipeline::finish_caption() {
    Lane& lane = *being_captioned_;
    being_captioned_ = nullptr;
    Captioner& captioner = *models_.captioner;
    lane.said = captioner.result();
    while (!captioner.finished()) {
        captioner.advance(words_at_once);
        lane.said = captioner.result();
    }
    lane.words_ms = captioner.steps_ms();
    draw(lane);
}

void FramePipeline::draw(Lane& lane) {
    if (!options_.draw) return;
    std::vector<std::string> words;
    if (lane.said)
        for (const CaptionWord& word : lane.said->words) words.push_back(word.text);
    const Caption* said = lane.said ? &*lane.said : nullptr;
    const uint64_t frame = lane.taken->info().index;
    overlay_->set_caption(words, lane.view ? lane.view->word(said, frame) : std::nullopt);
    overlay_->set_truth(options_.truth ? lane.taken->info().truth : std::nullopt);
    overlay_->settings.heat = false;
    if (lane.view) {
        Group& group = group_of(lane);
        group.look.wait(group.looked);  // which detection is the strongest?
        std::vector<Detection> found;
        if (models_.detector) found = lane.findings.detections(options_.filter);
        overlay_->settings.heat =
            lane.view->look(group.detection_taps, group.classifier_tap, found, said, frame);
        overlay_->settings.selected_query.reset();
        if (!found.empty()) overlay_->settings.selected_query = found.front().query;
    }
    overlay_->update(static_cast<uint32_t>(lane.index));
    lane.drawn = lane.draw.submit();
}

FramePipeline::Finished FramePipeline::finish() {
    Lane& lane = *on_their_way_.front();
    Group& group = group_of(lane);
    if (!gathered_.empty() && gathered_.front() == &lane) look();
    if (being_captioned_ == &lane) finish_caption();
    on_their_way_.pop_front();
    TakenFrame taken = std::move(*lane.taken);
    lane.taken.reset();
    group.look.wait(group.looked);
    if (options_.draw) lane.draw.wait(lane.drawn);

    FrameResult result;
    result.info = taken.info();
    result.ms.emplace_back("decode", result.info.decode_ms);
    add_times(result, group.look, group.frames);
    if (models_.detector) result.detections = lane.findings.detections(options_.filter);
    if (models_.classifier) result.classes = lane.ranking.top(options_.classes);
    if (models_.captioner) {
        result.caption = std::move(lane.said);
        for (const ScopeTime& time : lane.caption.times())
            result.ms.emplace_back(time.name, time.ms + lane.words_ms);
    }
    PictureView picture;
    if (options_.draw) {
        add_times(result, lane.draw);
        picture = lane.readback->picture();
    }
    return {std::move(result), picture, std::move(taken)};
}

ResultLabels FramePipeline::labels() const {
    ResultLabels labels;
    if (models_.detector) labels.detector = models_.detector->labels();
    if (models_.classifier) labels.classifier = models_.classifier->labels();
    return labels;
}

}  // namespace saccade
