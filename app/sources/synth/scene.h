#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/sources/synth/emoji.h"
#include "app/sources/synth/geometry.h"
#include "app/sources/synth/random.h"

namespace saccade {

enum class Backdrop { gradient, brick, stripes, grass, lights, gravel, wood, stars, checks };
inline constexpr uint32_t backdrop_count = 9;

// The light: factors for every pixel, where 256 is 1.
struct Light {
    std::array<int, 3> tint{256, 256, 256};  // blue, green, red
    int slope_x = 0, slope_y = 0;            // added from the centre to the edge
    int vignette = 0;                        // subtracted in the middle of the edges
    int noise = 0;                           // 256 is a standard deviation of nine levels
};

// An object in one frame.
struct PlacedEmoji {
    uint32_t id = 0;
    uint64_t object = 0;       // its identity, unique for the camera
    glm::dmat3 to_frame{1};    // from the sprite's cell, -1 .. 1, to pixels
    glm::dmat3 to_cell{1};     // its inverse
    double half = 0;           // about half the cell's side, in pixels
    double card = 0;           // half the side of the card that it is printed on, in cells; 0: none
    uint32_t card_colour = 0;  // 0xRRGGBB
    glm::dvec2 shadow{0};      // offset of its shadow, in cells
    int shade = 0;             // opacity of the shadow, of 256
    std::array<int, 3> tint{256, 256, 256};
};

// A frame before it is painted.
struct SynthView {
    glm::dmat3 to_backdrop{1};         // from pixels to the backdrop, whose shorter side is -1 .. 1
    std::vector<PlacedEmoji> objects;  // the farthest first
    Light light;
};

// A few seconds of the synthetic camera: one backdrop, some objects that move in front of it, a
// shaking camera. Sizes, angles and numbers of objects are within the training data of the bundled
// models.
class SynthScene {
public:
    // Scene `number` of a seed, with this number of objects, or a random one if none is given. A
    // hard scene has twice as many, and half of them cross the picture.
    SynthScene(uint64_t seed, uint64_t number, Size frame, std::optional<uint32_t> objects,
               bool hard = false);

    SynthView at(double seconds) const;  // since the scene began
    Backdrop backdrop() const { return backdrop_; }
    uint64_t backdrop_seed() const { return backdrop_seed_; }

    static constexpr double duration = 4;  // seconds
    // How far the backdrop extends beyond the frame, for a shaking camera.
    static constexpr double margin = 0.08;

private:
    // value + swing * wave(speed * t + phase)
    struct Swing {
        double value = 0, swing = 0, speed = 0, phase = 0;
        double at(double t) const { return value + swing * wave(speed * t + phase); }
    };
    struct Object {
        uint32_t id;
        Swing x, y, size, angle, tilt_x, tilt_y;
        double drift = 0;  // of x, per second
        double stretch = 1, shear = 0;
        double card = 0;
        uint32_t card_colour = 0;
        int shade = 0;
        std::array<int, 3> tint;
    };

    void arrange(Random& random, uint32_t count);
    void let_pass(Random& random);
    void let_cross();
    static Object make_object(Random& random, uint32_t count);

    Size frame_;
    double unit_;             // in pixels: the height of a 4:3 frame with the same area
    double half_x_, half_y_;  // the frame in units, from its centre
    uint64_t first_object_;   // the identity of its first object
    Backdrop backdrop_;
    uint64_t backdrop_seed_;
    std::vector<Object> objects_;
    glm::dvec2 shadow_;
    Swing shake_x_, shake_y_, tremble_x_, tremble_y_, roll_, zoom_;
    Swing brightness_, slope_x_, slope_y_;
    std::array<double, 3> white_;
    int noise_ = 0;
};

// The ground truth of a view: the boxes of objects that are more than half inside the frame and
// more than a third visible, and the caption.
Truth truth_of(const SynthView& view, const std::vector<EmojiSprite>& sprites, Size frame);

}  // namespace saccade
