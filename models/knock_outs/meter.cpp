#include "models/knock_outs/meter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

namespace saccade {

namespace {

constexpr uint32_t parts = 10;  // of the cells, that go one after the other
constexpr uint32_t random_orders = 8;

// The mean height of a curve, by trapezoids.
double area_of(const std::vector<double>& curve) {
    double sum = 0;
    for (size_t i = 1; i < curve.size(); ++i) sum += (curve[i - 1] + curve[i]) / 2;
    return curve.size() > 1 ? sum / double(curve.size() - 1) : 0;
}

template <typename Value>
Meter::Spread spread_of(const std::vector<Curves>& all, const Value& value) {
    Meter::Spread spread;
    for (const Curves& one : all) spread.mean += value(one) / double(all.size());
    for (const Curves& one : all) spread.deviation += std::pow(value(one) - spread.mean, 2);
    if (all.size() > 1) spread.deviation = std::sqrt(spread.deviation / double(all.size() - 1));
    return spread;
}

// std::shuffle gives other orders with other libraries.
std::vector<uint32_t> random_order(uint32_t count, std::mt19937& random) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    return order;
}

// Without the ends, which are the same for every order.
void add_deletion(std::vector<KnockOut>& to, const std::vector<uint32_t>& order) {
    for (uint32_t part = 1; part < parts; ++part)
        to.push_back(
            {{order.begin(), order.begin() + std::ptrdiff_t(order.size() * part / parts)}});
}
void add_insertion(std::vector<KnockOut>& to, const std::vector<uint32_t>& order) {
    for (uint32_t part = 1; part < parts; ++part)
        to.push_back({{order.begin() + std::ptrdiff_t(order.size() * part / parts), order.end()}});
}

std::vector<double> curve_from(double first, std::span<const Reading> steps, double last) {
    std::vector<double> curve{first};
    for (const Reading& step : steps) curve.push_back(step.score);
    curve.push_back(last);
    return curve;
}

}  // namespace

double Curves::deletion_area() const { return area_of(deletion); }
double Curves::insertion_area() const { return area_of(insertion); }

double Curves::lost_with_a_fifth() const {
    const double whole = deletion.front();
    return whole > 0 ? std::clamp(1 - deletion[parts / 5] / whole, 0.0, 1.0) : 0;
}

Meter::Spread Meter::random_deletion() const {
    return spread_of(random, [](const Curves& one) { return one.deletion_area(); });
}
Meter::Spread Meter::random_insertion() const {
    return spread_of(random, [](const Curves& one) { return one.insertion_area(); });
}

bool Meter::beats_random(const Method& method) const {
    const Spread out = random_deletion(), in = random_insertion();
    return method.curves.deletion_area() < out.mean - out.deviation ||
           method.curves.insertion_area() > in.mean + in.deviation;
}

bool Meter::is_made_up_for(const Method& method) const {
    const Spread out = random_deletion();
    return method.curves.deletion_area() > out.mean + out.deviation;
}

std::string Meter::in_words(const Method& method) const {
    const Spread fifth =
        spread_of(random, [](const Curves& one) { return one.lost_with_a_fifth(); });
    char text[160];
    std::snprintf(text, sizeof text,
                  "the fifth that it ranks first carries %.0f %% of the score, a random fifth "
                  "%.0f %%",
                  100 * method.curves.lost_with_a_fifth(), 100 * fifth.mean);
    std::string words = text;
    if (is_made_up_for(method)) words += "; the rest of the picture makes up for it";
    if (!beats_random(method)) words += "; it does no better than random";
    return words;
}

std::vector<uint32_t> order_of(std::span<const float> cells) {
    std::vector<uint32_t> order(cells.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return cells[a] > cells[b]; });
    return order;
}

std::vector<float> resampled(std::span<const float> cells, const MapGeometry& from,
                             const MapGeometry& to) {
    std::vector<float> result;
    for (uint32_t y = 0; y < to.grid.y; ++y)
        for (uint32_t x = 0; x < to.grid.x; ++x) {
            const auto [row, column] = from.cell_at(to.corner + (glm::vec2(x, y) + 0.5f) * to.cell);
            result.push_back(cells[row * from.grid.x + column]);
        }
    return result;
}

Measurement::Measurement(Trials& trials, std::span<const RankedMap> maps, uint32_t seed)
    : trials_(trials) {
    const uint32_t cells = area(trials.grid());
    std::mt19937 random(seed);
    std::vector<uint32_t> all(cells);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<KnockOut> steps{{}, {.cells = all}};
    for (const RankedMap& map : maps) {
        names_.push_back(map.name);
        const std::vector<uint32_t> order = order_of(map.cells);
        add_deletion(steps, order);
        add_insertion(steps, order);
    }
    for (uint32_t i = 0; i < random_orders; ++i) add_deletion(steps, random_order(cells, random));
    list_ = TrialList(std::move(steps));
}

Meter Measurement::meter() const {
    const std::vector<Reading>& readings = list_.readings();
    const double whole = readings[0].score, empty = readings[1].score;
    std::span<const Reading> left = std::span(readings).subspan(2);
    const auto next = [&] {
        const std::span<const Reading> taken = left.first(parts - 1);
        left = left.subspan(parts - 1);
        return taken;
    };
    Meter meter;
    for (const std::string& name : names_) {
        Curves curves;
        curves.deletion = curve_from(whole, next(), empty);
        curves.insertion = curve_from(empty, next(), whole);
        meter.methods.push_back({name, std::move(curves)});
    }
    // A random order backwards is as random, and its insertion is the deletion backwards.
    for (uint32_t i = 0; i < random_orders; ++i) {
        Curves curves;
        curves.deletion = curve_from(whole, next(), empty);
        curves.insertion.assign(curves.deletion.rbegin(), curves.deletion.rend());
        meter.random.push_back(std::move(curves));
    }
    return meter;
}

Meter measure(Trials& trials, std::span<const RankedMap> maps, uint32_t seed) {
    Measurement measurement(trials, maps, seed);
    while (measurement.go_on()) continue;
    return measurement.meter();
}

}  // namespace saccade
