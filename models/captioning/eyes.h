#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "models/backbone/layers.h"
#include "models/backbone/resnet.h"
#include "models/backbone/vit.h"
#include "models/captioning/caption_model.h"
#include "models/detection/deformable/hybrid_config.h"
#include "models/detection/deformable/hybrid_encoder.h"
#include "models/weights/weight_loader.h"

// What sees the picture for a decoder that any of them may have.

namespace saccade {

class Eye {
public:
    virtual ~Eye() = default;

    virtual PictureTokens picture() const = 0;
    // See CaptionModel::encode.
    virtual void see(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const = 0;
    virtual uint32_t layers() const = 0;  // of attention
    virtual TokenLayout layout(uint32_t) const { return picture().layout(); }
    virtual double multiply_adds() const = 0;
};

class ViTEye : public Eye {
public:
    ViTEye(WeightLoader& weights, const ViTConfig& config) : vit_(weights, config, "encoder") {}

    PictureTokens picture() const override;
    void see(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t layers() const override { return vit_.config().layers; }
    double multiply_adds() const override;

private:
    ViT vit_;
};

// RT-DETR's backbone and hybrid encoder. One of its maps goes on, as wide as the decoder, through
// blocks of a vision transformer.
struct HybridEyeConfig {
    RtDetrEye eye;
    Size image;
    uint32_t level = 0;   // the map that goes on
    uint32_t blocks = 0;  // over it
    EncoderForm form{};   // of these
};

class HybridEye : public Eye {
public:
    HybridEye(WeightLoader& weights, const HybridEyeConfig& config);

    PictureTokens picture() const override;
    void see(Commands& c, const Tensor& encoded, const Tensor& pixels, Tap& tap) const override;
    // AIFI's, then those of the blocks.
    uint32_t layers() const override { return config_.eye.encoder.layers + config_.blocks; }
    TokenLayout layout(uint32_t layer) const override;
    double multiply_adds() const override;

private:
    std::vector<Size> map_sizes() const;

    HybridEyeConfig config_;
    ResNet backbone_;
    HybridEncoder encoder_;
    Linear projection_;  // (hidden, dim of the encoder)
    Tensor positions_;   // (cells, hidden) f32
    std::vector<EncoderBlock> blocks_;
    Norm norm_;
};

using EyeConfig = std::variant<ViTConfig, HybridEyeConfig>;
// The "encoder" of a config.json.
EyeConfig read_eye_config(const Json& json, const std::string& where);
std::unique_ptr<Eye> make_eye(WeightLoader& weights, const EyeConfig& config);

}  // namespace saccade
