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

// The vision encoders of VisionEncoderDecoder.

namespace saccade {

class VisionEncoder {
public:
    virtual ~VisionEncoder() = default;

    virtual PictureTokens picture() const = 0;
    // See CaptionModel::encode.
    virtual void encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                        Tap& tap) const = 0;
    virtual uint32_t layers() const = 0;  // with attention
    virtual bool leaves_tokens_out() const { return false; }
    virtual TokenLayout layout(uint32_t) const { return picture().layout(); }
    virtual double multiply_adds() const = 0;
};

class ViTVisionEncoder : public VisionEncoder {
public:
    ViTVisionEncoder(WeightLoader& weights, const ViTConfig& config)
        : vit_(weights, config, "encoder") {}

    PictureTokens picture() const override;
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t layers() const override { return vit_.config().layers; }
    bool leaves_tokens_out() const override { return true; }
    double multiply_adds() const override;

private:
    ViT vit_;
};

// RT-DETR's backbone and hybrid encoder, up to one of its maps, projected to the decoder's width
// and followed by ViT blocks.
struct HybridVisionConfig {
    RtDetrVision vision;
    Size image;
    uint32_t level = 0;  // the map that the blocks read
    uint32_t blocks = 0;
    EncoderForm form{};  // of the blocks
};

class HybridVisionEncoder : public VisionEncoder {
public:
    HybridVisionEncoder(WeightLoader& weights, const HybridVisionConfig& config);

    PictureTokens picture() const override;
    void encode(Commands& c, const Tensor& encoded, const Tensor& pixels, Tap& tap) const override;
    // AIFI's layers, then the blocks.
    uint32_t layers() const override { return config_.vision.encoder.layers + config_.blocks; }
    TokenLayout layout(uint32_t layer) const override;
    double multiply_adds() const override;

private:
    std::vector<Size> map_sizes() const;

    HybridVisionConfig config_;
    ResNet backbone_;
    HybridEncoder encoder_;
    Linear projection_;  // (hidden, encoder dim)
    Tensor positions_;   // (cells, hidden) f32
    std::vector<EncoderBlock> blocks_;
    Norm norm_;
};

using VisionEncoderConfig = std::variant<ViTConfig, HybridVisionConfig>;
// The "encoder" of a config.json.
VisionEncoderConfig read_vision_encoder_config(const Json& json, const std::string& where);
std::unique_ptr<VisionEncoder> make_vision_encoder(WeightLoader& weights,
                                                   const VisionEncoderConfig& config);

}  // namespace saccade
