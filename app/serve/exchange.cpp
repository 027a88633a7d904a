#include "app/serve/exchange.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace saccade {

namespace {

constexpr size_t most_events = 256;  // that wait for the server's thread
constexpr size_t most_wishes = 256;  // that wait for the loop

}  // namespace

Exchange::Exchange(std::function<void()> news)
    : news_(std::move(news)), encoder_([this](const std::stop_token& stop) { encode(stop); }) {}

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
    const bool due =
        (demand_.whole && number > whole_given_) || (demand_.small && number > small_given_);
    return {.picture = demand_.newer_than && number > *demand_.newer_than && due,
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
            // A third frame takes the place of the second: the newest wins.
            waiting_count_ = std::min(waiting_count_ + 1, waiting_.size());
            Waiting& last = waiting_[waiting_count_ - 1];
            last.layout = planes.layout;
            last.whole = demand_.whole || !demand_.small;
            last.small = demand_.small;
            if (last.whole) whole_given_ = frame.number;
            if (last.small) small_given_ = frame.number;
            last.planes.resize(last.layout.bytes());
            std::copy_n(planes.memory, last.planes.size(), last.planes.begin());
            last.frame = std::move(frame);
            changed_.notify_one();
            return;
        }
    }
    news_();
}

void Exchange::encode(const std::stop_token& stop) {
    JpegEncoder encoder;
    Waiting next;
    std::vector<uint8_t> small;
    auto into = [&](std::vector<uint8_t>& to, std::span<uint8_t> planes,
                    const PlaneLayout& layout) {
        const std::span<const uint8_t> jpeg = encoder.encode(planes, layout);
        to.assign(jpeg.begin(), jpeg.end());
    };
    for (;;) {
        auto frame = std::make_shared<ServedFrame>();
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return waiting_count_ > 0; })) return;
            std::swap(next, waiting_.front());
            std::rotate(waiting_.begin(), waiting_.begin() + 1, waiting_.end());
            --waiting_count_;
            *frame = std::move(next.frame);
        }
        const auto start = Clock::now();
        try {
            // The encoder works in place: the small one first.
            if (next.small) {
                const PlaneLayout layout = shrink(next.planes, next.layout, small_width, small);
                into(frame->small, small, layout);
            }
            if (next.whole) into(frame->jpeg, next.planes, next.layout);
        } catch (const std::exception& error) {
            spdlog::error("{}", error.what());
            continue;
        }
        {
            const std::scoped_lock lock(mutex_);
            ++counts_.encoded;
            counts_.bytes += frame->jpeg.size() + frame->small.size();
            counts_.encode_seconds += std::chrono::duration<double>(Clock::now() - start).count();
            // The other size of a frame that was encoded before stays.
            if (picture_ && picture_->number == frame->number) {
                if (frame->jpeg.empty()) frame->jpeg = picture_->jpeg;
                if (frame->small.empty()) frame->small = picture_->small;
            }
            picture_ = std::move(frame);
        }
        news_();
    }
}

void Exchange::tell(std::string state, std::string metrics, std::string brief) {
    {
        const std::scoped_lock lock(mutex_);
        if (told_.state != state) ++told_.version;
        told_.state = std::move(state);
        told_.metrics = std::move(metrics);
        told_.brief = std::move(brief);
    }
    news_();
}

void Exchange::tell_lecture(LectureNews news) {
    {
        const std::scoped_lock lock(mutex_);
        lecture_ = std::move(news);
        ++lecture_version_;
    }
    news_();
}

LectureNews Exchange::lecture() const {
    const std::scoped_lock lock(mutex_);
    return lecture_;
}

uint64_t Exchange::lecture_version() const {
    const std::scoped_lock lock(mutex_);
    return lecture_version_;
}

void Exchange::beat(Pulse pulse) {
    const std::scoped_lock lock(mutex_);
    pulse_ = std::move(pulse);
    beat_ = Clock::now();
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

Pulse Exchange::pulse() const {
    const std::scoped_lock lock(mutex_);
    return pulse_;
}

Health Exchange::health(double stale) const {
    const std::scoped_lock lock(mutex_);
    return health_of(pulse_, beat_, Clock::now(), stale);
}

Exchange::Counts Exchange::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace saccade
