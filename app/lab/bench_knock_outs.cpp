#include "app/lab/bench_knock_outs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/lab/bench_model.h"
#include "app/lab/bench_report.h"
#include "gpu/core/error.h"
#include "models/knock_outs/cause_map.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

struct Row {
    std::string what;
    uint32_t knock_outs = 0;
    Timing ms;
};

// A picture with something in it: bright discs on a dark ground, 640x480.
struct MadeUpPicture {
    static constexpr uint32_t width = 640, height = 480;
    std::vector<uint8_t> rgb;

    MadeUpPicture() : rgb(size_t(3) * width * height) {
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x)
                for (uint32_t k = 0; k < 3; ++k) {
                    const double away = std::hypot(double(x) - 200 - 90 * k, double(y) - 240);
                    rgb[3 * (size_t(y) * width + x) + k] =
                        static_cast<uint8_t>(30 + 200 * std::exp(-away * away / 9000));
                }
    }
    PictureView view() const { return {rgb.data(), width, height, 3 * width, false}; }
};

Timing timing_of(uint32_t runs, const std::function<void()>& work) {
    const auto begin = Clock::now();
    work();  // records, makes pipelines
    while (Clock::now() - begin < std::chrono::milliseconds(500)) work();
    std::vector<double> ms;
    const auto since = Clock::now();
    while (runs > 0 ? ms.size() < runs
                    : ms.size() < 3 || Clock::now() - since < std::chrono::seconds(2)) {
        const auto start = Clock::now();
        work();
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return summarize(std::move(ms));
}

std::vector<double> ranks_of(const std::vector<float>& values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (size_t first = 0, end = 0; first < order.size(); first = end) {
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        for (size_t i = first; i < end; ++i) ranks[order[i]] = double(first + end - 1) / 2;
    }
    return ranks;
}

// Spearman's rank correlation.
double rank_correlation(const std::vector<float>& a, const std::vector<float>& b) {
    const std::vector<double> x = ranks_of(a), y = ranks_of(b);
    const double middle = double(x.size() - 1) / 2;
    double both = 0, of_x = 0, of_y = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        both += (x[i] - middle) * (y[i] - middle);
        of_x += (x[i] - middle) * (x[i] - middle);
        of_y += (y[i] - middle) * (y[i] - middle);
    }
    return of_x > 0 && of_y > 0 ? both / std::sqrt(of_x * of_y) : 0;
}

struct Measured {
    std::string name;
    Size grid;
    std::vector<Row> rows;
    double correlation = 0;
};

Measured measure_model(Engine& engine, const std::string& name,
                       const KnockOutBenchOptions& options) {
    const MadeUpPicture picture;
    const std::unique_ptr<BenchModel> model = make_bench_model(engine, name);
    const auto trials_of = [&](uint32_t at_once) {
        std::unique_ptr<Trials> trials =
            model->trials(engine, picture.view(),
                          {.most_cells = options.most_cells,
                           .at_once = options.at_once > 0 ? options.at_once : at_once});
        if (!trials) throw Error(name + ": knock-outs are timed of classifiers and detectors");
        return trials;
    };
    Measured result{name, {}, {}};
    std::vector<float> full, adaptive;
    {
        result.grid = trials_of(1)->grid();
        const uint32_t cells = area(result.grid);
        const std::unique_ptr<Trials> trials = trials_of(cells);
        const double whole = trials->whole().value;
        std::vector<KnockOut> all;
        for (uint32_t cell = 0; cell < cells; ++cell) all.push_back({.cells = {cell}});
        std::vector<Reading> readings;
        result.rows.push_back(
            {"every cell", cells, timing_of(options.runs, [&] { readings = trials->run(all); })});
        for (const Reading& one : readings) full.push_back(static_cast<float>(whole - one.value));
    }
    {
        const uint32_t squares = (result.grid.x + 1) / 2 * ((result.grid.y + 1) / 2);
        const std::unique_ptr<Trials> trials = trials_of(squares + 1);
        uint32_t knock_outs = 0;
        const Timing ms = timing_of(options.runs, [&] {
            CauseMap map(*trials);
            map.refine();             // coarse: one batch
            map.refine(squares + 1);  // finer where it matters: another
            adaptive = map.cells();
            knock_outs = map.knock_outs();
        });
        result.rows.push_back({"coarse, then finer", knock_outs, ms});
        result.rows.push_back(
            {"coarse", squares, timing_of(options.runs, [&] { CauseMap(*trials).refine(); })});
    }
    result.correlation = rank_correlation(full, adaptive);
    uint32_t heads = 0;
    for (const uint32_t count : trials_of(1)->heads()) heads += count;
    if (heads > 0) {
        const std::unique_ptr<Trials> trials = trials_of(heads);
        std::vector<KnockOut> all;
        const std::vector<uint32_t> layers = trials->heads();
        for (uint32_t layer = 0; layer < layers.size(); ++layer)
            for (uint32_t head = 0; head < layers[layer]; ++head)
                all.push_back({.heads = {{layer, head}}});
        result.rows.push_back(
            {"every head", heads, timing_of(options.runs, [&] { trials->run(all); })});
    }
    return result;
}

std::string table_of(const Measured& measured) {
    char line[160];
    std::snprintf(line, sizeof line, "%s, %ux%u cells\n", measured.name.c_str(), measured.grid.x,
                  measured.grid.y);
    std::string text = line;
    for (const Row& row : measured.rows) {
        std::snprintf(line, sizeof line,
                      "  %-20s %5u knock-outs  %9.2f ms  (least %.2f, %zu runs)\n",
                      row.what.c_str(), row.knock_outs, row.ms.median, row.ms.least, row.ms.runs);
        text += line;
    }
    std::snprintf(line, sizeof line, "  rank correlation of the finer map to every cell: %.3f\n",
                  measured.correlation);
    return text + line;
}

nlohmann::ordered_json json_of(const Measured& measured) {
    nlohmann::ordered_json entry{{"name", measured.name},
                                 {"grid", {measured.grid.y, measured.grid.x}}};
    for (const Row& row : measured.rows)
        entry["rows"].push_back({{"what", row.what},
                                 {"knock_outs", row.knock_outs},
                                 {"ms", row.ms.median},
                                 {"least_ms", row.ms.least}});
    entry["rank_correlation"] = measured.correlation;
    return entry;
}

}  // namespace

std::string bench_knock_outs(const EngineOptions& engine_options,
                             const KnockOutBenchOptions& options) {
    if (options.models.empty()) throw Error("--knock-outs needs a --model");
    Engine engine(engine_options);
    std::string text = engine.device().info().name + ", " +
                       (engine.precision() == Type::f16 ? "fp16" : "fp32") + "\n";
    nlohmann::ordered_json json{{"device", engine.device().info().name}};
    for (const std::string& name : options.models) {
        const Measured measured = measure_model(engine, name, options);
        text += table_of(measured);
        json["models"].push_back(json_of(measured));
    }
    return options.json ? json.dump(2) + "\n" : text;
}

}  // namespace saccade
