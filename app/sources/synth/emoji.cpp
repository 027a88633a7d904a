#include "app/sources/synth/emoji.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "app/io/assets.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

struct Name {
    const char *one, *many;
};

// In the order of the models' classes and of emoji.png.
constexpr std::array<Name, emoji_count> names{{
    {"dog", "dogs"},
    {"cat", "cats"},
    {"rabbit", "rabbits"},
    {"bear", "bears"},
    {"pig", "pigs"},
    {"frog", "frogs"},
    {"monkey", "monkeys"},
    {"elephant", "elephants"},
    {"fish", "fish"},
    {"butterfly", "butterflies"},
    {"bee", "bees"},
    {"turtle", "turtles"},
    {"penguin", "penguins"},
    {"owl", "owls"},
    {"red car", "red cars"},
    {"bus", "buses"},
    {"bicycle", "bicycles"},
    {"airplane", "airplanes"},
    {"boat", "boats"},
    {"rocket", "rockets"},
    {"red apple", "red apples"},
    {"banana", "bananas"},
    {"strawberry", "strawberries"},
    {"watermelon", "watermelons"},
    {"lemon", "lemons"},
    {"pizza", "pizzas"},
    {"burger", "burgers"},
    {"donut", "donuts"},
    {"cake", "cakes"},
    {"ice cream", "ice creams"},
    {"cup", "cups"},
    {"red book", "red books"},
    {"phone", "phones"},
    {"laptop", "laptops"},
    {"camera", "cameras"},
    {"clock", "clocks"},
    {"key", "keys"},
    {"light bulb", "light bulbs"},
    {"hammer", "hammers"},
    {"guitar", "guitars"},
    {"trumpet", "trumpets"},
    {"drum", "drums"},
    {"soccer ball", "soccer balls"},
    {"basketball", "basketballs"},
    {"trophy", "trophies"},
    {"gift", "gifts"},
    {"red balloon", "red balloons"},
    {"umbrella", "umbrellas"},
    {"tree", "trees"},
    {"cactus", "cacti"},
    {"sunflower", "sunflowers"},
    {"rose", "roses"},
    {"mushroom", "mushrooms"},
    {"red heart", "red hearts"},
    {"star", "stars"},
    {"moon", "moons"},
    {"house", "houses"},
    {"chair", "chairs"},
    {"smiley", "smileys"},
    {"ghost", "ghosts"},
    {"robot", "robots"},
    {"person", "people"},
    {"crown", "crowns"},
    {"shoe", "shoes"},
}};

// "an owl", "three owls"
std::string phrase(uint32_t id, size_t count) {
    constexpr std::array numbers{"two",   "three", "four", "five",   "six",   "seven",
                                 "eight", "nine",  "ten",  "eleven", "twelve"};
    const Name& name = names[id];
    if (count == 1)
        return (std::string("aeiou").find(name.one[0]) != std::string::npos ? "an " : "a ") +
               std::string(name.one);
    return numbers[std::min(count - 2, numbers.size() - 1)] + std::string(" ") + name.many;
}

// The mean of four pixels of 8-bit channels each.
uint32_t mean(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        auto channel = [shift](uint32_t pixel) { return pixel >> shift & 255; };
        result |= (channel(a) + channel(b) + channel(c) + channel(d) + 2) / 4 << shift;
    }
    return result;
}

// The next mip level, with its transparent border.
std::vector<uint32_t> halved(const std::vector<uint32_t>& from, int side) {
    const int to = side / 2, from_row = side + 2, to_row = to + 2;
    std::vector<uint32_t> pixels(size_t(to_row) * size_t(to_row), 0);
    for (int y = 0; y < to; ++y)
        for (int x = 0; x < to; ++x) {
            const size_t at = size_t((2 * y + 1) * from_row + 2 * x + 1);
            pixels[size_t((y + 1) * to_row + x + 1)] =
                mean(from[at], from[at + 1], from[at + size_t(from_row)],
                     from[at + size_t(from_row) + 1]);
        }
    return pixels;
}

EmojiSprite sprite_from(const cv::Mat& cell) {
    constexpr int side = EmojiSprite::side, row = side + 2;
    EmojiSprite sprite;
    sprite.pixels[0].assign(size_t(row) * row, 0);
    for (int y = 0; y < side; ++y) {
        int first = side, last = -1;
        for (int x = 0; x < side; ++x) {
            const cv::Vec4b& pixel = cell.at<cv::Vec4b>(y, x);
            const uint32_t alpha = pixel[3];
            auto times_alpha = [alpha](uint32_t colour) { return (colour * alpha + 127) / 255; };
            sprite.pixels[0][size_t((y + 1) * row + x + 1)] =
                alpha << 24 | times_alpha(pixel[2]) << 16 | times_alpha(pixel[1]) << 8 |
                times_alpha(pixel[0]);
            if (alpha <= 100) continue;
            first = std::min(first, x);
            last = x;
        }
        if (last < 0) continue;
        for (int corner : {y, y + 1}) {
            auto place = [](int pixel) { return pixel * 2.0 / side - 1; };
            sprite.outline.push_back({place(first), place(corner)});
            sprite.outline.push_back({place(last + 1), place(corner)});
        }
    }
    for (int level = 1; level < EmojiSprite::levels; ++level)
        sprite.pixels[level] = halved(sprite.pixels[level - 1], EmojiSprite::side_of(level - 1));
    return sprite;
}

}  // namespace

const char* emoji_name(uint32_t id) { return names.at(id).one; }

std::string emoji_caption(const std::vector<TrueObject>& objects, Size frame) {
    struct Placed {
        uint32_t id;
        float x, y;  // of its centre, as parts of 256 x 192
    };
    std::vector<Placed> placed;
    for (const TrueObject& object : objects)
        placed.push_back({object.id,
                          (object.box.min.x + object.box.max.x) / 2 / float(frame.x) * 256,
                          (object.box.min.y + object.box.max.y) / 2 / float(frame.y) * 192});
    std::ranges::stable_sort(placed, {}, &Placed::x);

    if (placed.empty()) return "nothing";
    if (placed.size() == 2 && placed[0].id != placed[1].id) {
        const bool above =
            std::abs(placed[1].y - placed[0].y) > std::abs(placed[1].x - placed[0].x);
        if (above && placed[1].y < placed[0].y) std::swap(placed[0], placed[1]);
        return phrase(placed[0].id, 1) + (above ? " above " : " to the left of ") +
               phrase(placed[1].id, 1);
    }
    std::vector<uint32_t> kinds;
    for (const Placed& object : placed)
        if (std::ranges::find(kinds, object.id) == kinds.end()) kinds.push_back(object.id);
    std::string text;
    for (size_t i = 0; i < kinds.size(); ++i) {
        if (i > 0) text += i + 1 == kinds.size() ? " and " : ", ";
        text += phrase(kinds[i], size_t(std::ranges::count(placed, kinds[i], &Placed::id)));
    }
    return text;
}

std::vector<EmojiSprite> load_emoji_sprites() {
    const std::span<const std::byte> file = asset("emoji.png");
    const cv::Mat bytes(1, static_cast<int>(file.size()), CV_8UC1,
                        const_cast<std::byte*>(file.data()));
    const cv::Mat sheet = cv::imdecode(bytes, cv::IMREAD_UNCHANGED);
    constexpr int side = EmojiSprite::side;
    if (sheet.type() != CV_8UC4 || sheet.cols != 8 * side || sheet.rows != 8 * side)
        throw Error("the program's sheet of emoji cannot be read: OpenCV was built without PNG");
    std::vector<EmojiSprite> sprites;
    for (int id = 0; id < int(emoji_count); ++id)
        sprites.push_back(sprite_from(sheet(cv::Rect(id % 8 * side, id / 8 * side, side, side))));
    return sprites;
}

}  // namespace saccade
