#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/pictures.h"
#include "gpu/recorder/commands.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// How pixels at the right and at the bottom that do not fill a patch are treated.
enum class Remainder {
    refused,
    dropped,
    filled_up,  // padded with zeros after normalisation
};

// A model's preprocessor on the device, with the resize weights for frames of one size.
class PictureInput {
public:
    PictureInput(Device& device, Preprocessor preprocessor, Size patch,
                 Remainder remainder = Remainder::refused)
        : device_(&device),
          preprocessor_(std::move(preprocessor)),
          patch_(patch),
          remainder_(remainder) {}

    // Prepares for frames of this size; false if it is already prepared. Nothing that was recorded
    // for another size may still be running.
    bool prepare(Size frame, std::optional<Size> within = std::nullopt);

    // Preprocesses a picture of the prepared size to (1, patches, 3 * patch * patch).
    void record(Commands& c, const Tensor& patches, const Image& image) const;

    // The same for each tile of the picture, followed by the whole picture: batches from `first`
    // on.
    void record_tiles(Commands& c, const Tensor& patches, uint32_t first, const Image& image) const;
    Size tiles() const { return tiling_.tiles; }
    uint32_t tile_count() const { return tiling_.tiles.x * tiling_.tiles.y + 1; }
    Size frame() const { return frame_; }

    const PreprocessPlan& plan() const { return plan_; }
    const Preprocessor& preprocessor() const { return preprocessor_; }
    Size patch() const { return patch_; }
    std::optional<Size> within() const { return within_; }
    uint32_t patches() const { return plan_.width / patch_.x * (plan_.height / patch_.y); }
    uint32_t patch_columns() const { return 3 * patch_.x * patch_.y; }

private:
    void fit_to_patches();
    void prepare_tiles();
    void prepare_padding();
    // `floats`: the weights go up as floats, as an exact Preprocess wants them.
    ResizeTaps upload(const Taps& taps, Buffer& buffer, const char* name, bool floats = false);

    Device* device_;
    Preprocessor preprocessor_;
    Size patch_, frame_;
    Remainder remainder_;
    std::optional<Size> within_;
    PreprocessPlan plan_;
    Buffer horizontal_, vertical_, padding_memory_;
    Tensor padding_;  // (1, patches, 3 * patch * patch) f32: what the padding adds to each value
    Preprocess on_device_;

    // Tiles: the two resizes of the picture, and the crops that cut the tiles from it.
    struct Step {
        std::unique_ptr<Image> image;
        Buffer horizontal_memory, vertical_memory;
        ResizeTaps horizontal, vertical;
    };
    Preprocessor::Tiling tiling_;
    std::vector<Step> steps_, cuts_;
};

}  // namespace saccade
