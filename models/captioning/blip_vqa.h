#pragma once

#include "gpu/core/buffer.h"
#include "models/captioning/blip.h"

// BLIP that answers questions: the question is read by an encoder that looks at the picture, and the
// answer is written by a decoder that looks at what became of the question's words.

namespace saccade {

struct BlipVqaConfig {
    BlipConfig blip;
    uint32_t start = 0;  // of every answer
};
BlipVqaConfig read_blip_vqa_config(const Json& json, const std::string& where);

class BlipVqa : public Blip {
public:
    BlipVqa(WeightLoader& weights, const BlipVqaConfig& config);

    bool answers() const override { return true; }
    void ask(std::span<const uint32_t> question) override;
    uint32_t memory_tokens() const override { return static_cast<uint32_t>(question_.size()); }
    // The tap's hidden state is the question as the answer sees it; its layers are the encoder's
    // cross-attention from the question to the picture.
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
    // The ids once for each picture of a group; every group has some of these rows.
    mutable Buffer ids_;
};

}  // namespace saccade
