#pragma once

#include "gpu/core/buffer.h"
#include "models/captioning/blip.h"

// BLIP for visual question answering: an image-grounded text encoder reads the question with
// cross-attention to the picture, and the decoder writes the answer with cross-attention to the
// encoded question.

namespace saccade {

struct BlipVqaConfig {
    BlipConfig blip;
    uint32_t start = 0;  // the first id of every answer
};
BlipVqaConfig read_blip_vqa_config(const Json& json, const std::string& where);

class BlipVqa : public Blip {
public:
    BlipVqa(WeightLoader& weights, const BlipVqaConfig& config);

    bool answers() const override { return true; }
    bool hides_tokens() const override { return false; }  // the decoder sees the question
    void ask(std::span<const uint32_t> question) override;
    uint32_t memory_tokens() const override { return static_cast<uint32_t>(question_.size()); }
    // The tap keeps the encoded question as its hidden state, and as layers the cross-attention
    // from the question to the picture.
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded,
                  Tap& tap) const override;
    uint32_t question_layers() const override {
        return static_cast<uint32_t>(encoder_.layers.size());
    }

private:
    Tensor read_question(Commands& c, const Tensor& encoded, Tap& tap) const;

    Device& device_;
    Activation activation_;
    BlipBert encoder_;
    std::vector<uint32_t> question_;
    // The question's ids, once for each picture of the largest group so far.
    mutable Buffer ids_;
};

}  // namespace saccade
