#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/pictures.h"
#include "gpu/recorder/commands.h"
#include "gpu/recorder/recent.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// How pixels at the right and at the bottom that do not fill a patch are treated.
enum class Remainder {
    refused,
    dropped,
    filled_up,  // padded with zeros after normalisation
};

// A model's preprocessor on the device, with the resize weights for frames of the last few sizes.
class PictureInput {
public:
    PictureInput(Device& device, Preprocessor preprocessor, Size patch,
                 Remainder remainder = Remainder::refused)
        : device_(&device),
          preprocessor_(std::move(preprocessor)),
          patch_(patch),
          remainder_(remainder) {}

    // Prepares for frames of this size; false if the last frames had it, too. Nothing that was
    // recorded for the ninth size before it may still be running.
    bool prepare(Size frame, std::optional<Size> within = std::nullopt);

    // Preprocesses a picture of the prepared size to (1, patches, 3 * patch * patch).
    void record(Commands& c, const Tensor& patches, const Image& image) const;

    // The same for each tile of the picture, followed by the whole picture: batches from `first`
    // on.
    void record_tiles(Commands& c, const Tensor& patches, uint32_t first, const Image& image) const;
    Size tiles() const { return now().tiling.tiles; }
    uint32_t tile_count() const { return tiles().x * tiles().y + 1; }
    Size frame() const { return now().frames.size; }

    const PreprocessPlan& plan() const { return now().plan; }
    const Preprocessor& preprocessor() const { return preprocessor_; }
    Size patch() const { return patch_; }
    std::optional<Size> within() const { return now().frames.within; }
    uint32_t patches() const { return patches_of(plan()); }
    uint32_t patch_columns() const { return 3 * patch_.x * patch_.y; }

private:
    struct Frames {
        Size size;
        std::optional<Size> within;
        bool operator==(const Frames&) const = default;
    };
    // Of tiles: the two resizes of the picture, and the crops that cut the tiles from it.
    struct Step {
        std::unique_ptr<Image> image;
        Buffer horizontal_memory, vertical_memory;
        ResizeTaps horizontal, vertical;
    };
    struct Prepared {
        Frames frames;
        PreprocessPlan plan;
        Buffer horizontal, vertical, padding_memory;
        Tensor padding;  // (1, patches, 3 * patch * patch) f32: what the padding adds to each value
        Preprocess on_device;
        Preprocessor::Tiling tiling;
        std::vector<Step> steps, cuts;
    };
    const Prepared& now() const { return prepared_.value(); }
    Prepared prepare_for(const Frames& frames) const;
    void fit_to_patches(PreprocessPlan& plan) const;
    void prepare_tiles(Prepared& to) const;
    void prepare_padding(Prepared& to) const;
    uint32_t patches_of(const PreprocessPlan& plan) const {
        return plan.width / patch_.x * (plan.height / patch_.y);
    }
    // `floats`: the weights go up as floats, as an exact Preprocess wants them.
    ResizeTaps upload(const Taps& taps, Buffer& buffer, const char* name,
                      bool floats = false) const;

    Device* device_;
    Preprocessor preprocessor_;
    Size patch_;
    Remainder remainder_;
    Recent<Frames, Prepared> prepared_;
};

}  // namespace saccade
