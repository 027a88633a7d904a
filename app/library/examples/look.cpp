// look MODEL: where the first detection in a picture of noise and light looked, as a table.
#include <cstdio>
#include <saccade.hpp>

int main(int count, char** words) try {
    constexpr uint32_t side = 160;
    std::vector<uint8_t> pixels(3 * side * side);
    for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x)
            for (uint32_t c = 0; c < 3; ++c)
                pixels[3 * (y * side + x) + c] = uint8_t(x * y / 100 + 60 * c);

    saccade::Engine engine;
    saccade::Model model(engine, count > 1 ? words[1] : "emoji-detector");
    saccade_run_options options = saccade::Model::usual();
    options.threshold = 0;
    const saccade::Result result = model(saccade::rgb(pixels.data(), side, side), options);
    const auto best = result.detections().at(0);
    std::printf("%s on %s\n", best.label, engine.device().c_str());

    const saccade::Map map = model.attention(result, saccade::Look::from_query(best.query));
    for (uint32_t row = 0; row < map->rows; ++row) {
        for (uint32_t column = 0; column < map->columns; ++column)
            std::printf("%5.1f", 100 * double(map.at(row, column)));
        std::printf("\n");
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "look: %s\n", error.what());
    return 1;
}
