#include "models/detection/fine/deimv2.h"

namespace saccade {

Deimv2::Deimv2(WeightLoader& front, WeightLoader& weights, const Deimv2Config& config)
    : HybridDetector(front, weights, config),
      decoder_(weights, config.decoder, config.edges),
      trained_size_(config.trained_size),
      remark_(config.remark) {
    const std::string prefix = "model.conv_encoder.";
    if (config.dino)
        dino_ = std::make_unique<TunedDino>(front, *config.dino, prefix);
    else
        hgnet_ = std::make_unique<HGNetV2>(front, config.backbone, prefix + "model");
}

void Deimv2::prepare(Size picture) {
    if (dino_) dino_->prepare(picture);
    HybridDetector::prepare(picture);
}

// The authors' boxes are made for one size; transformers' conversion script writes it into
// config.json, but always the same size into preprocessor_config.json.
bool Deimv2::adapt(Preprocessor& preprocessor) const {
    if (!trained_size_ || preprocessor.resize != Preprocessor::Resize::fixed ||
        preprocessor.size == *trained_size_)
        return false;
    preprocessor.size = *trained_size_;
    return true;
}

std::vector<FeatureMap> Deimv2::backbone_maps(Commands& c, const Tensor& pixels,
                                              Size picture) const {
    return dino_ ? dino_->maps(c, pixels, picture) : hgnet_->maps(c, pixels, picture);
}

std::vector<Size> Deimv2::map_sizes(Size picture) const {
    return dino_ ? dino_->map_sizes(picture) : hgnet_->map_sizes(picture);
}

double Deimv2::backbone_work(Size picture) const {
    return dino_ ? dino_->multiply_adds(picture) : hgnet_->multiply_adds(picture);
}

}  // namespace saccade
