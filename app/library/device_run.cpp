#include "app/library/device_run.h"

#include "gpu/core/error.h"
#include "gpu/ops/pictures.h"

namespace saccade {

namespace {

// Images of the engine hold red first, those of programs often blue.
void swap_red_and_blue(Commands& c, const Image& image) {
    auto scope = c.scope("order of colours");
    const uint32_t row = (3 * image.width() + 3) / 4 * 4;
    Pixels pixels{.bytes = c.scratch(1, 1, row / 4 * image.height(), Type::u32),
                  .row_bytes = row,
                  .rows = image.height(),
                  .bgr = true};
    pack(c, pixels, image);
    pixels.bgr = false;
    unpack(c, image, pixels);
}

bool same(const std::optional<saccade_look>& one, const std::optional<saccade_look>& other) {
    if (!one || !other) return one.has_value() == other.has_value();
    return one->from == other->from && one->layer == other->layer && one->head == other->head &&
           one->x == other->x && one->y == other->y && one->index == other->index;
}

std::optional<bool> drawn_order(const DeviceJob& job) {
    if (!job.drawn) return std::nullopt;
    return job.drawn->bgr;
}

}  // namespace

DeviceRun::DeviceRun(Engine& engine, const DeviceJob& job, const OverlayLabels& labels,
                     const Record& record)
    : engine_(engine),
      size_(job.size),
      bgr_(job.picture.bgr),
      drawn_bgr_(drawn_order(job)),
      look_(job.look),
      picture_(engine.device(), "picture", size_.x, size_.y),
      images_(engine.device()),
      commands_(engine.device(), engine.scratch(), "on a lent device") {
    if (drawn_bgr_) {
        drawn_ = Image(engine.device(), "drawn", size_.x, size_.y);
        overlay_ = std::make_unique<Overlay>(engine.device(), size_, labels);
    }
    Commands& c = commands_;
    c.begin();
    if (bgr_) swap_red_and_blue(c, picture_);
    {
        auto scope = c.scope("model");
        left_ = record(c, picture_);
        if (left_.attention) {  // outlives the scope
            const Tensor& map = left_.attention;
            attention_ =
                Buffer(engine.device(), "attention",
                       tensor_bytes(map.batch, map.rows, map.columns, map.type), Memory::device);
            const Tensor kept =
                make_tensor(attention_.handle(), 0, map.batch, map.rows, map.columns, map.type);
            c.copy_bytes(map, kept);
            left_.attention = kept;
        }
    }
    if (overlay_) {
        auto scope = c.scope("overlay");
        letterbox(c, drawn_, picture_, {0, 0, size_.x, size_.y});
        overlay_->record(c, drawn_,
                         {.found = left_.found,
                          .masks = left_.masks,
                          .classes = left_.classes,
                          .maps = left_.attention,
                          .geometry = left_.geometry});
        if (*drawn_bgr_) swap_red_and_blue(c, drawn_);
    }
    c.end();
}

bool DeviceRun::is_for(const DeviceJob& job) const {
    return job.size == size_ && job.picture.bgr == bgr_ && drawn_order(job) == drawn_bgr_ &&
           same(job.look, look_);
}

void DeviceRun::submit(const DeviceJob& job, const OverlaySettings& settings) {
    if (overlay_) {
        overlay_->settings = settings;
        overlay_->update();
    }
    images_.take(job.picture.image, picture_, job.wait);
    pending_ = commands_.submit();
    pending_ = images_.give(drawn_, job.drawn ? &job.drawn->image : nullptr, job.signal);
}

void DeviceRun::wait() {
    if (!pending_) return;
    commands_.wait(*std::exchange(pending_, std::nullopt));
}

void DeviceRun::wait_quietly() noexcept {
    try {
        wait();
    } catch (const std::exception&) {  // the device is lost, which the next call reports
    }
}

}  // namespace saccade
