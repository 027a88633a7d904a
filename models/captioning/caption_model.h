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

// The picture as the encoder of a captioner cuts it up.
struct PictureTokens {
    Size input;  // pixels of pixel_values
    Size patch;
    Size grid;                // of patches
    uint32_t first_cell = 0;  // token of the first patch
    uint32_t tokens = 0;
    uint32_t columns = 0;  // of the encoder's output
    // Pixels that a cell of the grid covers, the first of them from (origin, origin) on; 0: a patch.
    glm::vec2 cell{0};
    float origin = 0;

    TokenLayout layout() const {
        return {.grid = grid,
                .first_cell = first_cell,
                .cell = cell.x > 0 ? cell : glm::vec2(patch),
                .origin = origin};
    }
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
    // Which tokens look at each other in one of these layers.
    virtual TokenLayout encoder_layout(uint32_t) const { return picture().layout(); }
    // What the decoder keeps of that: (pictures, memory_tokens, memory_columns), see DecoderState.
    // The tap looks at how a question sees the picture.
    virtual void memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const {
        decoder().memorize(c, memory, encoded);
    }
    virtual uint32_t memory_tokens() const { return picture().tokens; }
    virtual uint32_t memory_columns() const {
        return 2 * decoder().form().layers * decoder().form().width();
    }

    // Models that answer a question. They have one from the beginning; another one, as ids, changes
    // the sizes above, and what was recorded before is of no use any more.
    virtual bool answers() const { return false; }
    virtual void ask(std::span<const uint32_t>) {}
    // The ids that every sentence begins with, if they are not just the start id.
    virtual std::span<const uint32_t> prompt() const { return {}; }
    // The question as the model's files want it written, and the picture's place in it.
    virtual std::string written(const std::string& question) const { return question; }
    // Makes ready for a picture that is cut into these tiles (columns, rows), and once more as a
    // whole; (0, 0): only as a whole. True if what was recorded before is of no use any more.
    virtual bool cut_into(Size) { return false; }
    // Where a map of the picture's tokens comes from, if they are not simply rows of a grid: cells of
    // a grid as indices of tokens, and of the same place in the whole picture.
    struct TokenMap {
        Size grid;
        std::vector<uint32_t> tiles, whole;  // (grid); whole: empty without tiles
    };
    virtual TokenMap token_map() const { return {}; }
    // Layers in which the question looks at the picture before the answer looks at the question; 0:
    // answers look at the picture themselves.
    virtual uint32_t question_layers() const { return 0; }
    // How its sentences are written, by config.json and, unless it is null, generation_config.json.
    virtual Generation read_generation(const Json& config, const std::string& where,
                                       const Json* file, const std::string& file_where) const = 0;
    // Of the encoder and of what the decoder keeps of it.
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
