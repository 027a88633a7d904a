#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"
#include "models/captioning/generation.h"
#include "models/captioning/text_decoder.h"
#include "models/picture/preprocessor.h"

namespace saccade {

// The tokens that a captioner's encoder makes of a picture.
struct PictureTokens {
    Size input;  // pixels of pixel_values
    Size patch;
    Size grid;                // of patches
    uint32_t first_cell = 0;  // token of the first patch
    uint32_t tokens = 0;
    uint32_t columns = 0;  // of the encoder's output
    // Pixels that a cell of the grid covers; the first cell begins at (origin, origin). 0: a patch.
    glm::vec2 cell{0};
    float origin = 0;

    TokenLayout layout() const {
        return {.grid = grid,
                .first_cell = first_cell,
                .cell = cell.x > 0 ? cell : glm::vec2(patch),
                .origin = origin};
    }
};

// A model that writes text about a picture: a vision encoder and a text decoder.
class CaptionModel {
public:
    virtual ~CaptionModel() = default;

    virtual const TextDecoder& decoder() const = 0;
    virtual PictureTokens picture() const = 0;
    // Encodes patches (pictures, patches, 3 * patch * patch) as (pictures, tokens, columns), in the
    // type of the weights. The tap keeps the encoder's self-attention.
    virtual void encode(Commands& c, const Tensor& encoded, const Tensor& patches,
                        Tap& tap) const = 0;
    virtual uint32_t encoder_layers() const = 0;
    // The tokens of self-attention in one of these layers.
    virtual TokenLayout encoder_layout(uint32_t) const { return picture().layout(); }
    // Computes the keys and values of cross-attention: (pictures, memory_tokens, memory_columns),
    // see DecoderState. The tap keeps the attention from a question to the picture.
    virtual void memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const {
        decoder().memorize(c, memory, encoded);
    }
    virtual uint32_t memory_tokens() const { return picture().tokens; }
    virtual uint32_t memory_columns() const {
        return 2 * decoder().form().layers * decoder().form().width();
    }

    // Whether the encoder's tap can leave tokens out: the encoder is a plain ViT.
    virtual bool leaves_tokens_out() const { return false; }
    // Whether memorize() takes some of the encoder's tokens, so that the decoder does not see the
    // others.
    virtual bool hides_tokens() const { return false; }

    // Models that answer a question begin with a default one. Another question, as ids, changes the
    // sizes above, and earlier recordings become invalid.
    virtual bool answers() const { return false; }
    virtual void ask(std::span<const uint32_t>) {}
    // The ids that every sentence begins with; empty: the start token.
    virtual std::span<const uint32_t> prompt() const { return {}; }
    // The prompt for a question, by the model's chat template.
    virtual std::string chat_prompt(const std::string& question) const { return question; }
    // Prepares for a picture that is split into tiles (columns, rows) and followed by the whole
    // picture; (0, 0): the whole picture alone. True if earlier recordings become invalid.
    virtual bool cut_into(Size) { return false; }
    // For pictures in tiles: the token that shows each cell of a grid over the frame, in its tile
    // and in the whole picture.
    struct TokenMap {
        Size grid;
        std::vector<uint32_t> tiles, whole;  // (grid); `whole` is empty without tiles
    };
    virtual TokenMap token_map() const { return {}; }
    // Layers of cross-attention from the question to the picture, where the answer attends to the
    // question instead of the picture; 0: the answer attends to the picture.
    virtual uint32_t question_layers() const { return 0; }
    // Generation parameters by config.json and, unless it is null, generation_config.json.
    virtual Generation read_generation(const Json& config, const std::string& where,
                                       const Json* file, const std::string& file_where) const = 0;
    // Of encode() and memorize().
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
