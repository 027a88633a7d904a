#include "app/serve/exchange.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace saccade {

namespace {

constexpr size_t most_events = 256;  // that wait for the server's thread
constexpr size_t most_wishes = 256;  // that wait for the loop

}  // namespace

Exchange::Exchange(std::function<void()> news)
    : news_(std::move(news)),
      beat_(Clock::now().time_since_epoch().count()),
      encoder_([this](const std::stop_token& stop) { encode(stop); }) {}

Exchange::~Exchange() = default;

void Exchange::stop() {
    encoder_.request_stop();
    if (encoder_.joinable()) encoder_.join();
}

bool Exchange::watched() const {
    const std::scoped_lock lock(mutex_);
    return demand_.watched;
}

bool Exchange::listened() const {
    const std::scoped_lock lock(mutex_);
    return demand_.lines;
}

std::vector<RemoteLook> Exchange::looks() const {
    const std::scoped_lock lock(mutex_);
    return demand_.looks;
}

std::vector<SharedWish> Exchange::take_wishes() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(wishes_, {});
}

Exchange::Wanted Exchange::wanted(uint64_t number) const {
    const std::scoped_lock lock(mutex_);
    return {
        .picture = demand_.newer_than && number > *demand_.newer_than && number > picture_given_,
        .line = demand_.lines && number > line_given_};
}

void Exchange::show(ServedFrame frame, const PlanarView& planes) {
    {
        const std::scoped_lock lock(mutex_);
        if (demand_.lines && frame.number > line_given_) {
            line_given_ = frame.number;
            for (const std::string& crossing : frame.crossings)
                events_.push_back("event: crossing\ndata: " + crossing + "\n\n");
            events_.push_back("data: " + frame.line + "\n\n");
            while (events_.size() > most_events) events_.pop_front();
        }
        if (planes.memory) {
            picture_given_ = frame.number;
            layout_ = planes.layout;
            planes_.resize(layout_.bytes());
            std::copy_n(planes.memory, planes_.size(), planes_.begin());
            next_ = std::move(frame);
            changed_.notify_one();
            return;
        }
    }
    news_();
}

void Exchange::encode(const std::stop_token& stop) {
    JpegEncoder encoder;
    std::vector<uint8_t> planes;
    for (;;) {
        auto frame = std::make_shared<ServedFrame>();
        PlaneLayout layout;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return next_.has_value(); })) return;
            *frame = std::move(*next_);
            next_.reset();
            std::swap(planes, planes_);
            layout = layout_;
        }
        const auto start = Clock::now();
        try {
            const std::span<const uint8_t> jpeg = encoder.encode(planes, layout);
            frame->jpeg.assign(jpeg.begin(), jpeg.end());
        } catch (const std::exception& error) {
            spdlog::error("{}", error.what());
            continue;
        }
        {
            const std::scoped_lock lock(mutex_);
            ++counts_.encoded;
            counts_.bytes += frame->jpeg.size();
            counts_.encode_seconds += std::chrono::duration<double>(Clock::now() - start).count();
            picture_ = std::move(frame);
        }
        news_();
    }
}

void Exchange::tell(std::string state, std::string metrics) {
    {
        const std::scoped_lock lock(mutex_);
        if (told_.state != state) ++told_.version;
        told_.state = std::move(state);
        told_.metrics = std::move(metrics);
    }
    news_();
}

void Exchange::beat(uint64_t number) {
    newest_ = number;
    beat_ = Clock::now().time_since_epoch().count();
}

void Exchange::want(Demand demand) {
    const std::scoped_lock lock(mutex_);
    demand_ = std::move(demand);
}

void Exchange::wish(SharedWish wish) {
    const std::scoped_lock lock(mutex_);
    if (wishes_.size() < most_wishes) wishes_.push_back(std::move(wish));
}

std::shared_ptr<const ServedFrame> Exchange::picture() const {
    const std::scoped_lock lock(mutex_);
    return picture_;
}

std::vector<std::string> Exchange::take_events() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> events(std::make_move_iterator(events_.begin()),
                                    std::make_move_iterator(events_.end()));
    events_.clear();
    return events;
}

Exchange::Told Exchange::told() const {
    const std::scoped_lock lock(mutex_);
    return told_;
}

uint64_t Exchange::told_version() const {
    const std::scoped_lock lock(mutex_);
    return told_.version;
}

double Exchange::seconds_since_beat() const {
    const Clock::time_point last{Clock::duration(beat_.load())};
    return std::chrono::duration<double>(Clock::now() - last).count();
}

Exchange::Counts Exchange::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace saccade
