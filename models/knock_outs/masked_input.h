#pragma once

#include <cstdint>
#include <functional>
#include <glm/ext/vector_uint3_sized.hpp>
#include <span>

#include "gpu/core/buffer.h"
#include "gpu/ops/pictures.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/frame.h"
#include "models/attention/map_geometry.h"
#include "models/picture/picture_input.h"

namespace saccade {

// What a cell of a picture becomes when it is knocked out.
enum class CellInstead {
    blank,  // the mean colour of the model's preprocessor; grey if that has none
    blur,   // the picture, blurred
    drop,   // nothing: its tokens are left out after the embedding
    hide,   // what it was, but the decoder does not see its tokens
};
inline bool is_of_tokens(CellInstead instead) {
    return instead == CellInstead::drop || instead == CellInstead::hide;
}

// The picture whose cells are knocked out: on the host, or an image that `upload` fills.
struct MaskedPicture {
    MaskedPicture(const PictureView& on_host)
        : view(on_host), size(on_host.width, on_host.height) {}
    MaskedPicture(const Image& on_device, std::function<void(Commands&)> fill)
        : image(&on_device), upload(std::move(fill)), size(on_device.width(), on_device.height()) {}

    PictureView view = {};
    const Image* image = nullptr;
    std::function<void(Commands&)> upload = {};
    Size size;
};

// The colour of blank cells: levels of red, green and blue.
glm::u8vec3 blank_colour(const Preprocessor& preprocessor);

// One picture as the input of a model, many times over, each time with other cells knocked out. A
// cell is a square of patches. What replaces it has gone through the model's own preprocessing, so
// the model sees the same bits as in a painted picture.
class MaskedInput {
public:
    // `most`: cells along the longer side, unless patches are larger. The input must be prepared
    // for the picture's size, and outlive this. Where tokens go instead, the picture stays whole.
    MaskedInput(Device& device, Arena& scratch, const PictureInput& input, Type type, uint32_t most,
                const MaskedPicture& picture, CellInstead instead);

    // Takes another picture of the same size. Nothing may be running.
    void show(Arena& scratch, const MaskedPicture& picture);

    Size grid() const { return cells_.grid(input_->patches()); }
    MapGeometry geometry() const;

    // The model's input for a batch of this size: (batch, patches, 3 * patch * patch).
    Tensor record(Commands& c, uint32_t batch);
    // After that, for the next submission. None may be running.
    void put_all_back();
    void knock_out(uint32_t picture, std::span<const uint32_t> cells);
    void flush() const { mask_memory_.flush(); }

private:
    void preprocess(Arena& scratch, const MaskedPicture& picture, const Tensor& to);
    void prepare_instead(Arena& scratch, const MaskedPicture& picture);

    Device* device_;
    const PictureInput* input_;
    CellInstead instead_of_cells_;
    PatchCells cells_;
    Buffer memory_, mask_memory_;
    Tensor picture_, instead_;  // (1, patches, 3 * patch * patch)
    Tensor mask_;               // (batch, 1, cells) f32
};

}  // namespace saccade
