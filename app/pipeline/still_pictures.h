#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/frame/frame_result.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "gpu/engine.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// Runs one model on one picture after another. A picture of another size is recorded again.
class StillPictures {
public:
    // Makes the model ready for frames of the image's size, and records it.
    using Record = std::function<void(Commands& c, const Image& image)>;

    StillPictures(Engine& engine, const std::string& name, Record record)
        : engine_(engine),
          record_(std::move(record)),
          commands_(engine.device(), engine.scratch(), name) {}

    // Returns when the device is done with the picture.
    void run(const PictureView& picture);
    // The same; an error begins with the picture's name.
    void run(const std::string& name, const PictureView& picture);

    // A result for the last picture with its name and the times of its stages. The caller adds what
    // the model found.
    FrameResult result(const std::string& name, double decode_ms) const;

private:
    Engine& engine_;
    Record record_;
    Commands commands_;
    std::unique_ptr<Frame> frame_;
};

// Runs `work`; the engine's errors, which do not know the picture, get its name in front.
template <typename Work>
auto naming(const std::string& image, const Work& work) {
    try {
        return work();
    } catch (const DeviceLost&) {
        throw;
    } catch (const TemporaryError& error) {
        throw TemporaryError("'" + image + "': " + error.what());
    } catch (const Error& error) {
        throw Error("'" + image + "': " + error.what());
    }
}

// Calls `one` for each picture and prints what it returns. A picture that fails is reported, and
// the rest goes on. Returns the exit code.
int for_each_picture(const std::vector<std::string>& images,
                     const std::function<std::string(const std::string& image)>& one);

}  // namespace saccade
