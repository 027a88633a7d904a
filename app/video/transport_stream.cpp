#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "app/video/feed_frame.h"
#include "app/video/feed_target.h"
#include "gpu/core/error.h"

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/opt.h>
}

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 100ms;  // between two checks for a stop request
// As many whole MPEG-TS packets as fit into a UDP datagram.
constexpr const char* network_packet = "1316";

bool is_pipe(const std::string& target) {
    struct stat about;
    return ::stat(target.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

// A named pipe. Waits for a reader, and for a slow one, but always notices a stop request.
class Pipe {
public:
    Pipe(std::string path, std::stop_token stop) : path_(std::move(path)), stop_(std::move(stop)) {
        while (!stop_.stop_requested()) {
            file_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
            if (file_ >= 0) return;
            if (errno != ENXIO && errno != EINTR)  // ENXIO: it has no reader yet
                throw Error("nothing can be sent to '" + path_ + "': " + av_error(AVERROR(errno)));
            std::this_thread::sleep_for(poll_interval);
        }
    }
    ~Pipe() {
        if (file_ >= 0) ::close(file_);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    bool open() const { return file_ >= 0; }
    bool gone() const { return gone_; }  // the reader has closed the pipe

    int write(const uint8_t* bytes, int count) {
        int done = 0;
        while (done < count && !gone_ && !stop_.stop_requested()) {
            const ssize_t written = ::write(file_, bytes + done, static_cast<size_t>(count - done));
            if (written > 0) {
                done += static_cast<int>(written);
            } else if (errno == EAGAIN) {
                pollfd until{file_, POLLOUT, 0};
                ::poll(&until, 1, static_cast<int>(poll_interval.count()));
            } else if (errno != EINTR) {
                gone_ = true;
            }
        }
        return done == count ? count : AVERROR(EPIPE);
    }

private:
    const std::string path_;
    const std::stop_token stop_;
    int file_ = -1;
    bool gone_ = false;
};

class TransportStream : public FeedTarget {
public:
    TransportStream(const std::string& target, Size size, const std::stop_token& stop,
                    std::unique_ptr<Pipe> pipe)
        : TransportStream(target, size,
                          stop) {  // delegates, so that the destructor runs if this throws
        pipe_ = std::move(pipe);
        av_log_set_level(AV_LOG_QUIET);  // errors are reported by Saccade itself
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
        open_output();
        const int code = avformat_write_header(format, nullptr);
        begun_ = code >= 0;
        if (there()) check(code);
    }
    ~TransportStream() override {
        if (begun_) av_write_trailer(format_.get());
        if (!pipe_ || !format_ || !format_->pb) return;
        av_freep(&format_->pb->buffer);
        avio_context_free(&format_->pb);
    }

    bool write(const PictureView& bgr, double seconds) override {
        if (!begun_) return false;
        const auto ticks = static_cast<int64_t>(seconds * codec_->time_base.den);
        if (ticks <= last_) return true;  // faster than the time base
        AVFrame& frame = frame_.fill(bgr);
        frame.pts = last_ = ticks;
        check(avcodec_send_frame(codec_.get(), &frame));
        for (;;) {
            const int code = avcodec_receive_packet(codec_.get(), packet_.get());
            if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) break;
            check(code);
            av_packet_rescale_ts(packet_.get(), codec_->time_base, format_->streams[0]->time_base);
            const int sent = av_write_frame(format_.get(), packet_.get());
            av_packet_unref(packet_.get());
            if (!there()) return false;
            check(sent);
        }
        avio_flush(format_->pb);
        if (!there()) return false;
        check(format_->pb->error);
        return true;
    }

private:
    TransportStream(const std::string& target, Size size, const std::stop_token& stop)
        : target_(target), stop_(stop), frame_(size, AV_PIX_FMT_YUV420P) {}

    bool there() const { return !(pipe_ && pipe_->gone()) && !stop_.stop_requested(); }

    void open_codec(const char* name, Size size) {
        const AVCodec* codec = avcodec_find_encoder_by_name(name);
        if (!codec) return;
        Av<AVCodecContext> made(avcodec_alloc_context3(codec));
        made->width = static_cast<int>(size.x);
        made->height = static_cast<int>(size.y);
        made->pix_fmt = AV_PIX_FMT_YUV420P;
        made->time_base = {1, 30};
        made->framerate = {30, 1};
        made->max_b_frames = 0;
        made->gop_size = 30;  // a keyframe every second, for receivers that join
        made->bit_rate = 4'000'000;
        av_opt_set(made->priv_data, "preset", "veryfast", 0);
        av_opt_set(made->priv_data, "tune", "zerolatency", 0);
        if (avcodec_open2(made.get(), codec, nullptr) >= 0) codec_ = std::move(made);
    }

    void open_output() {
        if (pipe_) {
            constexpr int size = 32768;
            format_->pb = avio_alloc_context(
                static_cast<unsigned char*>(av_malloc(size)), size, 1, pipe_.get(), nullptr,
                [](void* pipe, auto* bytes, int count) {
                    return static_cast<Pipe*>(pipe)->write(bytes, count);
                },
                nullptr);
            format_->flags |= AVFMT_FLAG_CUSTOM_IO;
            return;
        }
        // A dead network must not keep the program from ending.
        const AVIOInterruptCB stopped{
            [](void* stop) {
                return static_cast<std::stop_token*>(stop)->stop_requested() ? 1 : 0;
            },
            &stop_};
        AVDictionary* options = nullptr;
        if (target_.starts_with("udp:")) av_dict_set(&options, "pkt_size", network_packet, 0);
        const int code =
            avio_open2(&format_->pb, target_.c_str(), AVIO_FLAG_WRITE, &stopped, &options);
        av_dict_free(&options);
        check(code);
    }

    void check(int code) const {
        if (code < 0) throw Error("nothing can be sent to '" + target_ + "': " + av_error(code));
    }

    const std::string target_;
    std::stop_token stop_;
    std::unique_ptr<Pipe> pipe_;
    Av<AVCodecContext> codec_;
    Av<AVFormatContext> format_;
    FeedFrame frame_;
    Av<AVPacket> packet_{av_packet_alloc()};
    int64_t last_ = -1;
    bool begun_ = false;
};

}  // namespace

std::unique_ptr<FeedTarget> open_transport_stream(const std::string& target, Size size,
                                                  const std::stop_token& stop) {
    std::unique_ptr<Pipe> pipe;
    if (is_pipe(target)) {
        pipe = std::make_unique<Pipe>(target, stop);
        if (!pipe->open()) return nullptr;
    }
    return std::make_unique<TransportStream>(target, size, stop, std::move(pipe));
}

}  // namespace saccade
