#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/live/loop.h"

namespace saccade {

// What is wanted of one source.
struct WallPart {
    Wishes wishes;
    Pointer pointer = {};
    Events events = {};
};

// One loop for each of up to 64 sources; often there is one. They share the models, which look at
// the newest frames of several sources at a time. If the device cannot keep up, sources take turns:
// none gets a second frame while another has waited for longer with its own. A source without a
// frame keeps nobody waiting.
class Wall {
public:
    static constexpr size_t most_sources = 64;
    // As many frames as fill this device.
    static size_t frames_together(const DeviceInfo& device);

    // `from`: one for each source.
    Wall(Engine& engine, const CaptureOptions& capture, const std::filesystem::path& folder,
         std::span<const LivePlace> from)
        : Wall(engine, capture, folder, from, frames_together(engine.device().info())) {}
    Wall(Engine& engine, const CaptureOptions& capture, const std::filesystem::path& folder,
         std::span<const LivePlace> from, size_t together);
    ~Wall();

    size_t size() const { return loops_.size(); }
    LiveLoop& operator[](size_t source) { return *loops_[source]; }
    const LiveLoop& operator[](size_t source) const { return *loops_[source]; }
    std::vector<LivePlace> places() const;
    std::vector<const Status*> statuses() const;

    // Sends pictures to this window from now on. It must outlive the wall.
    void show_in(PictureRing& window);
    // Shows this many frames of all sources, and then no more; 0: no end.
    void end_after(uint64_t frames) { most_frames_ = frames; }
    uint64_t frames() const;  // that were shown of all sources

    // Does what can be done now for each source. True if there is a new picture of one. Wishes for
    // models are shared: whichever part changes them, all have them afterwards.
    bool step(std::span<WallPart> parts);
    bool has_news(size_t source) const { return news_[source]; }  // a new picture by that step
    // Offers the newest picture to the window: of the source at the front, or of all of them, put
    // together. True if there is a newer one than at the last call.
    bool publish(const Wishes::Look& look, size_t front);
    bool sends() const { return tiles_ || tiles_due_; }  // there will be one soon
    // Sleeps until there may be something to do, but not for long.
    void rest() const;
    bool waits_for_person() const;
    bool waits_for_source() const;
    bool over() const;  // all sources have ended

private:
    // What parts have in common.
    struct SharedWishes {
        std::string detector, classifier, captioner;
        uint32_t detector_stride = 1, classifier_stride = 1;
        PromptText prompts;
        bool operator==(const SharedWishes&) const = default;
    };
    void share(std::span<WallPart> parts);
    void begin_frames(std::span<WallPart> parts);
    bool all_of(bool (LiveLoop::*holds)() const) const;

    Engine& engine_;
    std::vector<std::unique_ptr<LiveLoop>> loops_;
    size_t together_;              // frames that begin at once, at most
    std::vector<size_t> turns_;    // sources; the one whose turn was the longest ago is first
    std::vector<Ticket> batches_;  // that the models are working on
    size_t last_batch_ = 1;        // how many frames it had
    uint64_t most_frames_ = 0;
    std::optional<SharedWishes> shared_;
    PictureRing* window_ = nullptr;
    std::optional<SentPicture> tiles_;  // on their way to the window
    bool tiles_due_ = false;            // one of them is newer than those
    std::vector<bool> news_;
};

}  // namespace saccade
