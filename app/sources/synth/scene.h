#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/sources/synth/emoji.h"
#include "app/sources/synth/geometry.h"
#include "app/sources/synth/random.h"

namespace saccade {

// Behind the objects of a scene.
enum class Backdrop { gradient, brick, stripes, grass, lights, gravel, wood, stars, checks };
inline constexpr uint32_t backdrop_count = 9;

// How the light falls: what every pixel is multiplied with. 256 is as it is.
struct Light {
    std::array<int, 3> tint{256, 256, 256};  // blue, green, red
    int slope_x = 0, slope_y = 0;            // brighter by this from the centre to the edge
    int vignette = 0;                        // darker by this in the middle of the edges
    int noise = 0;  // the sensor's noise: 256 is a deviation of nine shades
};

// An object as it is seen in one frame.
struct PlacedEmoji {
    uint32_t id = 0;
    uint64_t object = 0;       // its number, which no other object of the camera has
    glm::dmat3 to_frame{1};    // from the sprite's cell, -1 .. 1, to pixels
    glm::dmat3 to_cell{1};     // and back
    double half = 0;           // about half the cell's side, in pixels
    double card = 0;           // half the side of the card that it is printed on, in cells; 0: none
    uint32_t card_colour = 0;  // 0xRRGGBB
    glm::dvec2 shadow{0};      // how far its shadow falls, in cells
    int shade = 0;             // how dark that is, of 256
    std::array<int, 3> tint{256, 256, 256};
};

// A frame before it is painted.
struct SynthView {
    glm::dmat3 to_backdrop{1};         // from pixels to the backdrop, whose shorter side is -1 .. 1
    std::vector<PlacedEmoji> objects;  // the farthest first
    Light light;
};

// A few seconds of the synthetic camera: one backdrop, some objects that move before it, a hand
// that shakes. Sizes, angles and numbers of objects are among those that the bundled models were
// trained on.
class SynthScene {
public:
    // The nth scene of a seed, with this number of objects, or its own number if none is given. A
    // hard one has twice as many, half of which cross the picture.
    SynthScene(uint64_t seed, uint64_t number, Size frame, std::optional<uint32_t> objects,
               bool hard = false);

    SynthView at(double seconds) const;  // since the scene began
    Backdrop backdrop() const { return backdrop_; }
    uint64_t backdrop_seed() const { return backdrop_seed_; }

    static constexpr double duration = 4;  // seconds
    // The backdrop reaches so far beyond the frame at rest, for a camera that shakes.
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
        double drift = 0;  // of x, a second
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
    double unit_;             // pixels; the side of a square as large as a frame of 4:3 is high
    double half_x_, half_y_;  // the frame in units, from its centre
    uint64_t first_object_;   // the number of its first object
    Backdrop backdrop_;
    uint64_t backdrop_seed_;
    std::vector<Object> objects_;
    glm::dvec2 shadow_;
    Swing shake_x_, shake_y_, tremble_x_, tremble_y_, roll_, zoom_;
    Swing brightness_, slope_x_, slope_y_;
    std::array<double, 3> white_;
    int noise_ = 0;
};

// What of the view can be seen: objects of which more than half is inside of the frame and more
// than a third is not behind others, with their boxes; and the right caption.
Truth truth_of(const SynthView& view, const std::vector<EmojiSprite>& sprites, Size frame);

}  // namespace saccade
