#pragma once

#include <cstdint>

#include "models/attention/tap.h"
#include "models/captioning/generation.h"
#include "models/captioning/text_decoder.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// The picture as the encoder of a captioner cuts it up.
struct PictureTokens {
    Size input;  // pixels of pixel_values
    Size patch;
    Size grid;                // of patches
    uint32_t first_cell = 0;  // token of the first patch
    uint32_t tokens = 0;
    uint32_t columns = 0;  // of the encoder's output
};

// A model that sees a picture and writes about it: an encoder and a decoder.
class CaptionModel {
public:
    virtual ~CaptionModel() = default;

    virtual const TextDecoder& decoder() const = 0;
    virtual PictureTokens picture() const = 0;
    // What the encoder makes of patches (pictures, patches, 3 * patch * patch): (pictures, tokens,
    // columns), in the type of the weights. The tap looks at how its tokens see each other.
    virtual void encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                        Tap& tap) const = 0;
    virtual uint32_t encoder_layers() const = 0;
    // What the decoder keeps of that, see DecoderState.
    virtual void memorize(Commands& c, const Tensor& memory, const Tensor& encoded) const {
        decoder().memorize(c, memory, encoded);
    }
    // How its sentences are written, by config.json and, unless it is null, generation_config.json.
    virtual Generation read_generation(const Json& config, const std::string& where,
                                       const Json* file, const std::string& file_where) const = 0;
    // Of the encoder and of what the decoder keeps of it.
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
