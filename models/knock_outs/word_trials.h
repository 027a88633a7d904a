#pragma once

#include <memory>

#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "models/knock_outs/trials.h"

namespace saccade {

// The target is a word of a caption or of an answer: its log-probability, with the words before it
// as they are.
class WordTrials : public Trials {
public:
    // The captioner must be prepared for the picture's size, and outlive this. `caption` and `word`
    // are the captioner's result for the picture.
    WordTrials(Device& device, Arena& scratch, const Captioner& captioner, const Caption& caption,
               const CaptionWord& word, const MaskedPicture& picture,
               const TrialOptions& options = {});
    ~WordTrials() override;

    std::string unit() const override { return "log-probability"; }

private:
    void record(Commands& c, const Tensor& patches, const Parts& parts) override;
    bool sees_picture(uint32_t layer) const override { return layer % 2 == 1; }
    std::string decoder_layer(uint32_t layer) const override;
    std::vector<Reading> read(uint32_t count) override;

    struct Decoder;  // what one batch needs of the decoder
    const Captioner& captioner_;
    std::vector<uint32_t> ids_;  // up to the word's last
    size_t first_;               // of the word
    Tap tap_;
    std::unique_ptr<Decoder> decoder_;
    std::vector<Download> probabilities_;  // of each of the word's tokens
};

}  // namespace saccade
