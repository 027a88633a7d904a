#include "app/video/feed.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "app/video/av.h"
#include "gpu/core/error.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace saccade {

namespace {

using namespace std::chrono_literals;

// Chroma has half the resolution, so sides are even; a pixel at the edge is left out if need be.
struct Even {
    int width, height;
};
Even even_size(const PictureView& picture) {
    return {static_cast<int>(picture.width & ~1u), static_cast<int>(picture.height & ~1u)};
}

Av<SwsContext> to_yuv(Even size) {
    return Av<SwsContext>(sws_getContext(size.width, size.height, AV_PIX_FMT_BGR24, size.width,
                                         size.height, AV_PIX_FMT_YUV420P, SWS_BILINEAR, nullptr,
                                         nullptr, nullptr));
}

Av<AVFrame> yuv_frame(Even size) {
    Av<AVFrame> frame(av_frame_alloc());
    frame->width = size.width;
    frame->height = size.height;
    frame->format = AV_PIX_FMT_YUV420P;
    if (av_frame_get_buffer(frame.get(), 1) < 0) throw Error("no memory for a picture");
    return frame;
}

void fill(AVFrame& frame, SwsContext& convert, const PictureView& bgr) {
    const int row_bytes = static_cast<int>(bgr.row_bytes);
    sws_scale(&convert, &bgr.pixels, &row_bytes, 0, frame.height, frame.data, frame.linesize);
}

// A device of v4l2loopback, which takes pictures by write().
class VirtualCamera : public FeedTarget {
public:
    VirtualCamera(const std::string& device, Even size)
        : device_(device), frame_(yuv_frame(size)), convert_(to_yuv(size)) {
        file_ = ::open(device.c_str(), O_WRONLY | O_CLOEXEC);
        v4l2_format format{};
        format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
        format.fmt.pix.width = static_cast<uint32_t>(size.width);
        format.fmt.pix.height = static_cast<uint32_t>(size.height);
        format.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
        format.fmt.pix.field = V4L2_FIELD_NONE;
        format.fmt.pix.sizeimage = static_cast<uint32_t>(size.width * size.height * 3 / 2);
        if (file_ < 0 || ::ioctl(file_, VIDIOC_S_FMT, &format) != 0) {
            const std::string why = std::strerror(errno);
            if (file_ >= 0) ::close(file_);
            throw Error("'" + device + "' takes no pictures (" + why +
                        "): load v4l2loopback, 'sudo modprobe v4l2loopback exclusive_caps=1'");
        }
    }
    ~VirtualCamera() override { ::close(file_); }
    void write(const PictureView& bgr, double) override {
        fill(*frame_, *convert_, bgr);
        bytes_.clear();
        for (int plane = 0; plane < 3; ++plane) {
            const int width = plane ? frame_->width / 2 : frame_->width;
            const int height = plane ? frame_->height / 2 : frame_->height;
            for (int y = 0; y < height; ++y) {
                const uint8_t* row = frame_->data[plane] + y * frame_->linesize[plane];
                bytes_.insert(bytes_.end(), row, row + width);
            }
        }
        if (::write(file_, bytes_.data(), bytes_.size()) < 0 && errno != EAGAIN)
            throw Error("'" + device_ + "' takes no more pictures: " + std::strerror(errno));
    }

private:
    const std::string device_;
    int file_ = -1;
    Av<AVFrame> frame_;
    Av<SwsContext> convert_;
    std::vector<uint8_t> bytes_;
};

// MPEG-TS, which can be joined at any time.
class TransportStream : public FeedTarget {
public:
    TransportStream(const std::string& target, Even size)
        : target_(target), frame_(yuv_frame(size)), convert_(to_yuv(size)) {
        av_log_set_level(AV_LOG_QUIET);  // people read our lines alone
        avformat_network_init();
        for (const char* name : {"libx264", "mpeg2video", "mpeg4"})
            if (!codec_) open_codec(name, size);
        if (!codec_) throw Error("this machine cannot encode a video for '" + target + "'");
        AVFormatContext* format = nullptr;
        check(avformat_alloc_output_context2(&format, nullptr, "mpegts", target.c_str()));
        format_.reset(format);
        AVStream* stream = avformat_new_stream(format, nullptr);
        stream->time_base = codec_->time_base;
        check(avcodec_parameters_from_context(stream->codecpar, codec_.get()));
        check(avio_open(&format->pb, target.c_str(), AVIO_FLAG_WRITE));
        check(avformat_write_header(format, nullptr));
    }
    ~TransportStream() override {
        if (format_ && format_->pb) av_write_trailer(format_.get());
    }
    void write(const PictureView& bgr, double seconds) override {
        check(av_frame_make_writable(frame_.get()));
        fill(*frame_, *convert_, bgr);
        const auto ticks = static_cast<int64_t>(seconds * codec_->time_base.den);
        frame_->pts = last_ = std::max(last_ + 1, ticks);
        check(avcodec_send_frame(codec_.get(), frame_.get()));
        for (;;) {
            const int code = avcodec_receive_packet(codec_.get(), packet_.get());
            if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) break;
            check(code);
            av_packet_rescale_ts(packet_.get(), codec_->time_base, format_->streams[0]->time_base);
            check(av_write_frame(format_.get(), packet_.get()));
            av_packet_unref(packet_.get());
        }
        avio_flush(format_->pb);
    }

private:
    void open_codec(const char* name, Even size) {
        const AVCodec* codec = avcodec_find_encoder_by_name(name);
        if (!codec) return;
        Av<AVCodecContext> made(avcodec_alloc_context3(codec));
        made->width = size.width;
        made->height = size.height;
        made->pix_fmt = AV_PIX_FMT_YUV420P;
        made->time_base = {1, 30};
        made->framerate = {30, 1};
        made->max_b_frames = 0;
        made->gop_size = 30;  // who joins waits a second at most
        made->bit_rate = 4'000'000;
        av_opt_set(made->priv_data, "preset", "veryfast", 0);
        av_opt_set(made->priv_data, "tune", "zerolatency", 0);
        if (avcodec_open2(made.get(), codec, nullptr) >= 0) codec_ = std::move(made);
    }
    void check(int code) const {
        if (code < 0) throw Error("nothing can be sent to '" + target_ + "': " + av_error(code));
    }

    const std::string target_;
    Av<AVCodecContext> codec_;
    Av<AVFormatContext> format_;
    Av<AVFrame> frame_;
    Av<SwsContext> convert_;
    Av<AVPacket> packet_{av_packet_alloc()};
    int64_t last_ = -1;
};

std::unique_ptr<FeedTarget> open_target(const std::string& target, Even size) {
    if (target.starts_with("/dev/video")) return std::make_unique<VirtualCamera>(target, size);
    return std::make_unique<TransportStream>(target, size);
}

}  // namespace

Feed::Feed(std::string target) : target_(std::move(target)) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Feed::~Feed() = default;

void Feed::show(const PictureView& bgr) {
    const std::scoped_lock lock(mutex_);
    const size_t row = size_t(bgr.width) * 3;
    newest_.width = bgr.width;
    newest_.height = bgr.height;
    newest_.bytes.resize(row * bgr.height);
    for (uint32_t y = 0; y < bgr.height; ++y)
        std::memcpy(&newest_.bytes[y * row], bgr.pixels + size_t(y) * bgr.row_bytes, row);
    fresh_ = true;
    wake_.notify_all();
}

std::optional<std::string> Feed::trouble() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(trouble_, std::nullopt);
}

void Feed::run(std::stop_token stop) try {
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<FeedTarget> target;
    Pixels shown;
    while (!stop.stop_requested()) {
        bool resized = false;
        {
            std::unique_lock lock(mutex_);
            // A picture that stands still is sent again and again, for who joins later.
            wake_.wait_for(lock, stop, 200ms, [&] { return fresh_; });
            if (fresh_) {
                resized = newest_.width != shown.width || newest_.height != shown.height;
                shown = newest_;
                fresh_ = false;
            }
        }
        if (shown.bytes.empty() || stop.stop_requested()) continue;
        const PictureView view{shown.bytes.data(), shown.width, shown.height, 3 * shown.width,
                               true};
        if (!target || resized) {
            target.reset();
            target = open_target(target_, even_size(view));
        }
        target->write(
            view, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
} catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    trouble_ = error.what();
}

}  // namespace saccade
