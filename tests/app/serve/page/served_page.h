#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "tests/app/page/browser.h"
#include "tests/app/program.h"

namespace saccade {

// `live --serve` on a small synthetic camera.
inline Words served(const Words& words) {
    Words all{"live", "synth:320x240@10?seed=1&objects=2", "--precision", "fp32"};
    all.insert(all.end(), words.begin(), words.end());
    return on_test_device(all);
}

// The address that the program prints once it listens.
inline std::string address_of(const Program& program) {
    for (int i = 0; i < 600; ++i) {
        const std::string out = program.out();
        const size_t end = out.find('\n');
        if (end != out.npos) return out.substr(0, end);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return "";
}
inline uint16_t port_of(const std::string& address) {
    return static_cast<uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1));
}

// A point of the picture, as fractions of its sides, in the browser's viewport.
inline std::pair<double, double> point_of_picture(Browser& page, double x, double y) {
    const Browser::Json area = page.evaluate(
        "(() => { document.getElementById('view').scrollIntoView();"
        "const r = document.getElementById('picture').getBoundingClientRect();"
        "return [r.left, r.top, r.width, r.height]; })()");
    return {area[0].get<double>() + x * area[2].get<double>(),
            area[1].get<double>() + y * area[3].get<double>()};
}

}  // namespace saccade
