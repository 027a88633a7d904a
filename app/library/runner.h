#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/library/device_run.h"
#include "app/library/saccade.h"
#include "gpu/engine.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/registry/registry.h"

namespace saccade {

// What a model found in one picture.
struct Found {
    Size size{0};
    std::vector<Detection> detections = {};
    std::vector<ClassScore> classes = {};
    std::optional<Caption> caption = std::nullopt;
    uint64_t run = 0;  // which run of the model it is from, and the picture's place in it
    size_t place = 0;
};

struct FoundMap {
    uint32_t rows = 0, columns = 0;
    std::optional<MapGeometry> geometry = std::nullopt;
    std::vector<float> values = {};
};

// A model of any task that runs on pictures in memory. The pictures of the last run stay on the
// device, so that attention can be computed when it is asked for.
class Runner {
public:
    static std::unique_ptr<Runner> open(Engine& engine, const std::filesystem::path& folder);
    virtual ~Runner() = default;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    virtual Task task() const = 0;
    virtual const std::vector<std::string>& labels() const = 0;
    virtual uint32_t encoder_layers() const = 0;
    virtual uint32_t decoder_layers() const = 0;
    virtual void tell(const std::vector<std::string>& phrases);
    virtual void ask(const std::string& question);

    std::vector<Found> run(std::span<const saccade_picture> pictures,
                           const saccade_run_options& options);
    FoundMap attention(const Found& found, const saccade_look& look);
    FoundMap features(const Found& found, int32_t layer);

    // Hands the device a run on an image of the program that lent it, and does not wait for it.
    const LeftOnDevice& submit(const DeviceJob& job, const saccade_run_options& options);
    // What that run found, once it has finished.
    Found collect();
    // Waits for that run. Before the model is told something else, or closed.
    void settle();

protected:
    explicit Runner(Engine& engine)
        : engine_(engine), commands_(engine.device(), engine.scratch(), "library") {}

    // The number of pictures that go through the device together.
    virtual size_t most_together() const = 0;
    // Takes the options of a run; true if the pictures have to be recorded again.
    virtual bool use(const saccade_run_options& options) = 0;
    virtual void record(Commands& c, std::span<const Image* const> images) = 0;
    virtual void collect(std::span<Found> found) = 0;
    // Records the model on a picture of the device, with attention if it is looked for.
    virtual LeftOnDevice record_left(Commands& c, const Image& image, const saccade_look* look) = 0;
    virtual OverlayLabels overlay_labels() const = 0;
    virtual OverlaySettings overlay_settings() const = 0;
    // Records the model on one picture with a tap, and the map that is looked for.
    virtual Tensor look(Commands& c, const Image& image, const saccade_look& look,
                        const Found& found, MapGeometry& geometry) = 0;
    // The same with the encoder's hidden states; the tap outlives the recording.
    virtual const Tap& keep_hidden(Commands& c, const Image& image) = 0;
    void record_anew() {
        recorded_ = false;
        device_run_.reset();
    }

    // `wanted`, or the last layer if it is negative; an Error if there are not so many.
    static uint32_t layer_of(int32_t wanted, uint32_t layers, const char* what);

    Engine& engine_;

private:
    void run_together(std::span<const saccade_picture> pictures, std::span<Found> found);
    const Image& image_of(const Found& found) const;
    void leave_device_run();

    Commands commands_;
    std::vector<std::unique_ptr<Frame>> frames_;
    bool recorded_ = false;
    std::unique_ptr<DeviceRun> device_run_;
    Size device_size_{0};  // of its pictures
    uint64_t runs_ = 0;
};

}  // namespace saccade
