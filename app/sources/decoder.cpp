#include "app/sources/decoder.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <vector>

#include "app/frame/slots.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

uint32_t quarter_turns_of(const AVStream& stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVPacketSideData* data =
        av_packet_side_data_get(stream.codecpar->coded_side_data,
                                stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    const uint8_t* matrix = data ? data->data : nullptr;
#else
    const uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
#endif
    if (!matrix) return 0;
    // FFmpeg's angle is counter-clockwise.
    const double degrees = -av_display_rotation_get(reinterpret_cast<const int32_t*>(matrix));
    if (!std::isfinite(degrees)) return 0;
    return static_cast<uint32_t>(std::lround(degrees / 90) + 4) % 4;
}

// A stream without a colour matrix has BT.601's, as FFmpeg assumes.
std::optional<YuvMatrix> matrix_of(AVColorSpace space) {
    switch (space) {
        case AVCOL_SPC_UNSPECIFIED:
        case AVCOL_SPC_BT470BG:
        case AVCOL_SPC_SMPTE170M:
            return YuvMatrix::bt601;
        case AVCOL_SPC_BT709:
            return YuvMatrix::bt709;
        case AVCOL_SPC_BT2020_NCL:
            return YuvMatrix::bt2020;
        default:
            return std::nullopt;
    }
}

bool is_full_range(const AVFrame& picture) {
    // Deprecated formats, which have full range.
    constexpr AVPixelFormat full[] = {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ440P,
                                      AV_PIX_FMT_YUVJ444P};
    return picture.color_range == AVCOL_RANGE_JPEG ||
           std::ranges::find(full, picture.format) != std::end(full);
}

// Nothing if the device does not support the format.
std::optional<YuvFormat> yuv_format(const AVFrame& picture) {
    const AVPixFmtDescriptor* format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    const std::optional<YuvMatrix> matrix = matrix_of(picture.colorspace);
    constexpr uint64_t others = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL |
                                AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_HWACCEL |
                                AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM;
    if (!format || !matrix || format->nb_components != 3 || (format->flags & others) != 0 ||
        !(format->flags & AV_PIX_FMT_FLAG_PLANAR) || format->log2_chroma_w > 1 ||
        format->log2_chroma_h > 1)
        return std::nullopt;
    const int bits = format->comp[0].depth;
    if (bits < 8 || bits > 12) return std::nullopt;
    for (int i = 0; i < 3; ++i)
        if (format->comp[i].plane != i || format->comp[i].shift != 0 ||
            format->comp[i].step != (bits > 8 ? 2 : 1))
            return std::nullopt;
    YuvFormat yuv;
    yuv.matrix = *matrix;
    yuv.full_range = is_full_range(picture);
    yuv.bits = static_cast<uint32_t>(bits);
    yuv.half_width = format->log2_chroma_w == 1;
    yuv.half_height = format->log2_chroma_h == 1;
    const AVChromaLocation at = picture.chroma_location;
    yuv.chroma_left = at != AVCHROMA_LOC_CENTER && at != AVCHROMA_LOC_TOP;
    yuv.chroma_top = at == AVCHROMA_LOC_TOPLEFT || at == AVCHROMA_LOC_TOP;
    return yuv;
}

double seconds_of(int64_t time, const AVStream& stream) {
    const int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    return static_cast<double>(time - start) * av_q2d(stream.time_base);
}

}  // namespace

std::unique_ptr<Decoder> Decoder::of_file(const std::string& path, int threads) {
    return open("file:" + path, nullptr, threads);  // the file name may have a colon
}

std::unique_ptr<Decoder> Decoder::of_stream(const std::string& url, const Timeouts& timeouts) {
    return open(url, &timeouts, 0);
}

std::unique_ptr<Decoder> Decoder::open(const std::string& where, const Timeouts* timeouts,
                                       int threads) {
    av_log_set_level(AV_LOG_QUIET);  // errors are reported by Saccade itself
    std::unique_ptr<Decoder> decoder(new Decoder);
    AVFormatContext* file = avformat_alloc_context();
    file->interrupt_callback = {
        [](void* self) { return static_cast<Decoder*>(self)->timed_out() ? 1 : 0; }, decoder.get()};
    if (timeouts) {
        decoder->set_timeout(timeouts->open);
        decoder->read_timeout_ = timeouts->read;
    }
    AVDictionary* options = nullptr;
    if (timeouts) av_dict_set(&options, "rtsp_flags", "prefer_tcp", 0);
    const int opened = avformat_open_input(&file, where.c_str(), nullptr, &options);
    av_dict_free(&options);
    if (opened < 0) return nullptr;  // avformat_open_input has freed the context
    decoder->file_.reset(file);
    // Read before avformat_find_stream_info, which replaces it by estimates.
    std::vector<int64_t> lengths;
    for (unsigned i = 0; i < file->nb_streams; ++i) lengths.push_back(file->streams[i]->duration);
    if (avformat_find_stream_info(file, nullptr) < 0) return nullptr;
    const int video = av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) return nullptr;
    for (unsigned i = 0; i < file->nb_streams; ++i)
        file->streams[i]->discard =
            i == static_cast<unsigned>(video) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    decoder->stream_ = file->streams[video];
    decoder->quarter_turns_ = quarter_turns_of(*decoder->stream_);
    if (static_cast<size_t>(video) < lengths.size() && lengths[static_cast<size_t>(video)] > 0)
        decoder->announced_ = static_cast<double>(lengths[static_cast<size_t>(video)]) *
                              av_q2d(decoder->stream_->time_base);
    return decoder->open_codec(timeouts != nullptr, threads) ? std::move(decoder) : nullptr;
}

bool Decoder::open_codec(bool live, int threads) {
    const AVCodec* codec = avcodec_find_decoder(stream_->codecpar->codec_id);
    if (!codec) return false;
    codec_.reset(avcodec_alloc_context3(codec));
    if (avcodec_parameters_to_context(codec_.get(), stream_->codecpar) < 0) return false;
    codec_->pkt_timebase = stream_->time_base;
    codec_->thread_count = threads;
    codec_->thread_type = live ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    return avcodec_open2(codec_.get(), codec, nullptr) >= 0 && codec_->width > 0 &&
           codec_->height > 0;
}

Size Decoder::size() const {
    Size size{static_cast<uint32_t>(codec_->width), static_cast<uint32_t>(codec_->height)};
    if (quarter_turns_ % 2 == 1) std::swap(size.x, size.y);
    return size;
}

double Decoder::rate() const {
    const AVRational rate = av_guess_frame_rate(file_.get(), stream_, nullptr);
    const double value = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    return value <= 1000 ? value : 0;
}

std::optional<uint64_t> Decoder::pictures() const {
    if (stream_->nb_frames > 0) return static_cast<uint64_t>(stream_->nb_frames);
    double seconds = 0;
    if (file_->duration > 0)
        seconds = static_cast<double>(file_->duration) / AV_TIME_BASE;
    else if (stream_->duration > 0)
        seconds = static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
    const double count = std::floor(seconds * rate() + 0.5);
    if (count >= 1 && count < 1e12) return static_cast<uint64_t>(count);
    return std::nullopt;
}

bool Decoder::timed_out() const { return deadline_ && Clock::now() >= *deadline_; }

// At the end, flushes the decoder.
void Decoder::send_packet() {
    int read = 0;
    do {
        av_packet_unref(packet_.get());
        read = av_read_frame(file_.get(), packet_.get());
    } while (!timed_out() &&
             (read == AVERROR(EAGAIN) || (read >= 0 && packet_->stream_index != stream_->index)));
    if (read < 0 || timed_out()) {
        avcodec_send_packet(codec_.get(), nullptr);
        return;
    }
    const int64_t time = packet_->pts == AV_NOPTS_VALUE ? packet_->dts : packet_->pts;
    if (time != AV_NOPTS_VALUE && !(packet_->flags & AV_PKT_FLAG_DISCARD))
        read_ = std::max(read_, seconds_of(time, *stream_));
    avcodec_send_packet(codec_.get(), packet_.get());
    av_packet_unref(packet_.get());
}

bool Decoder::next() {
    if (read_timeout_) set_timeout(*read_timeout_);
    for (int failures = 0; failures < 4096;) {
        const int result = avcodec_receive_frame(codec_.get(), picture_.get());
        if (result == 0) return true;
        if (result == AVERROR_EOF) return false;
        result == AVERROR(EAGAIN) ? send_packet() : void(++failures);
    }
    return false;
}

std::optional<double> Decoder::time() const {
    const int64_t time = picture_->best_effort_timestamp;
    if (time == AV_NOPTS_VALUE) return std::nullopt;
    return seconds_of(time, *stream_);
}

double Decoder::last_time() const { return std::max(read_, announced_); }

Size Decoder::write(const GiveSlot& give) {
    const std::optional<YuvFormat> yuv = yuv_format(*picture_);
    if (!yuv) return write_packed(give);
    PixelLayout layout;
    layout.width = static_cast<uint32_t>(picture_->width);
    layout.height = static_cast<uint32_t>(picture_->height);
    layout.yuv = yuv;
    layout.quarter_turns = quarter_turns_;
    const Slot slot = give(layout);
    if (slot.layout != layout) throw Error("the slot has another layout than the frame");
    for (uint32_t i = 0; i < layout.planes(); ++i) {
        const PixelLayout::Plane plane = layout.plane(i);
        av_image_copy_plane(reinterpret_cast<uint8_t*>(slot.bytes + plane.offset),
                            static_cast<int>(plane.row_bytes), picture_->data[i],
                            picture_->linesize[i],
                            static_cast<int>(plane.width * (yuv->bits > 8 ? 2 : 1)),
                            static_cast<int>(plane.height));
    }
    return {layout.upright_width(), layout.upright_height()};
}

Size Decoder::write_packed(const GiveSlot& give) {
    const int width = picture_->width, height = picture_->height;
    if (!packed_ || packed_->width != width || packed_->height != height) {
        packed_.reset(av_frame_alloc());
        packed_->format = AV_PIX_FMT_BGR24;
        packed_->width = width;
        packed_->height = height;
        if (av_frame_get_buffer(packed_.get(), 0) < 0)
            throw Error("there is no memory for a picture of " + std::to_string(width) + "x" +
                        std::to_string(height));
    }
    to_packed_.reset(sws_getCachedContext(
        to_packed_.release(), width, height, static_cast<AVPixelFormat>(picture_->format), width,
        height, AV_PIX_FMT_BGR24, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr,
        nullptr, nullptr));
    if (!to_packed_) return {};
    const int* matrix = sws_getCoefficients(picture_->colorspace);
    sws_setColorspaceDetails(to_packed_.get(), matrix, is_full_range(*picture_), matrix, 1, 0,
                             1 << 16, 1 << 16);
    sws_scale(to_packed_.get(), picture_->data, picture_->linesize, 0, height, packed_->data,
              packed_->linesize);
    const cv::Mat lying(height, width, CV_8UC3, packed_->data[0],
                        static_cast<size_t>(packed_->linesize[0]));
    if (quarter_turns_ == 0) return fill(give, lying);
    constexpr int turns[] = {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180,
                             cv::ROTATE_90_COUNTERCLOCKWISE};
    cv::Mat upright;
    cv::rotate(lying, upright, turns[quarter_turns_ - 1]);
    return fill(give, upright);
}

}  // namespace saccade
