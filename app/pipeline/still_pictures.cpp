#include "app/pipeline/still_pictures.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/io/interrupts.h"
#include "app/io/print.h"

namespace saccade {

void StillPictures::run(const std::string& name, const PictureView& picture) {
    naming(name, [&] { run(picture); });
}

void StillPictures::run(const PictureView& picture) {
    if (!frame_ || frame_->width() != picture.width || frame_->height() != picture.height) {
        frame_.reset();  // one frame at a time is held
        auto frame =
            std::make_unique<Frame>(engine_.device(), picture.width, picture.height, picture.bgr);
        commands_.begin();
        {
            auto scope = commands_.scope("upload");
            frame->record(commands_);
        }
        record_(commands_, frame->image());
        commands_.end();
        frame_ = std::move(frame);  // only now: what could not be recorded must not be run
    }
    frame_->write(picture);
    commands_.run();
}

FrameResult StillPictures::result(const std::string& name, double decode_ms) const {
    FrameResult result;
    result.info.source = name;
    result.info.size = {frame_->width(), frame_->height()};
    result.ms.emplace_back("decode", decode_ms);
    for (const ScopeTime& time : commands_.times()) result.ms.emplace_back(time.name, time.ms);
    return result;
}

int for_each_picture(const std::vector<std::string>& images,
                     const std::function<std::string(const std::string& image)>& one) {
    int exit_code = 0;
    for (const std::string& image : images) {
        std::string result;
        try {
            result = one(image);
        } catch (const DeviceLost&) {
            throw;  // no other picture would fare better
        } catch (const TemporaryError& error) {
            spdlog::error("{}", error.what());
            exit_code = exit_code_again;
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            exit_code = std::max(exit_code, 1);
        }
        print(result);
    }
    return exit_code;
}

}  // namespace saccade
