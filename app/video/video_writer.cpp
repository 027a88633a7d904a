#include "app/video/video_writer.h"

#include "app/video/av.h"
#include "app/video/fit_planes.h"
#include "gpu/core/error.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
}

namespace saccade {

namespace {

AVPixelFormat pixel_format(const AVCodec& codec, Size size) {
    const bool halved = chroma_for(size.x, size.y) == Chroma::halved;
    return halved || codec.id == AV_CODEC_ID_MPEG4 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;
}

Av<AVCodecContext> open_encoder(const char* name, Size size, const VideoClock& clock) {
    const AVCodec* codec = avcodec_find_encoder_by_name(name);
    if (!codec) return nullptr;
    Av<AVCodecContext> encoder(avcodec_alloc_context3(codec));
    encoder->width = static_cast<int>(size.x);
    encoder->height = static_cast<int>(size.y);
    encoder->pix_fmt = pixel_format(*codec, size);
    encoder->colorspace = AVCOL_SPC_SMPTE170M;  // BT.601: what pack_yuv and sws_scale make
    encoder->color_range = AVCOL_RANGE_MPEG;
    encoder->time_base = {1, static_cast<int>(clock.second())};
    encoder->framerate = {static_cast<int>(clock.second()), static_cast<int>(clock.frame())};
    encoder->max_b_frames = 0;
    encoder->gop_size = 250;
    encoder->thread_count = 4;  // on any machine: the output depends on it
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    if (codec->id == AV_CODEC_ID_MPEG4) {
        encoder->flags |= AV_CODEC_FLAG_QSCALE;
        encoder->global_quality = 3 * FF_QP2LAMBDA;
    } else {
        av_opt_set(encoder->priv_data, "preset", "veryfast", 0);
        av_opt_set(encoder->priv_data, "crf", "20", 0);
#ifdef __x86_64__
        // For narrow pictures, x264's AVX-512 code (core 164, mbtree) reads uninitialized memory:
        // about one run in fifteen wrote other bytes. AVX2 is enough, and every CPU with AVX-512
        // has it.
        if (__builtin_cpu_supports("avx512f"))
            av_opt_set(encoder->priv_data, "x264-params", "asm=avx2", 0);
#endif
    }
    if (avcodec_open2(encoder.get(), codec, nullptr) < 0) return nullptr;
    return encoder;
}

}  // namespace

struct VideoWriter::Encoder {
    Av<AVCodecContext> codec;
    Av<AVFormatContext> file;
    Av<SwsContext> convert;
    Av<AVFrame> frame{av_frame_alloc()};
    Av<AVPacket> packet{av_packet_alloc()};
};

VideoWriter::VideoWriter(std::filesystem::path path, Size size, const VideoClock& clock)
    : file_(std::move(path)), size_(size), clock_(clock), encoder_(std::make_unique<Encoder>()) {
    av_log_set_level(AV_LOG_QUIET);  // errors are reported by Saccade itself
    Encoder& e = *encoder_;
    for (const char* name : {"libx264", "mpeg4"})
        if (!e.codec) e.codec = open_encoder(name, size, clock);
    if (!e.codec)
        throw Error("'" + file_.path().string() + "': this machine cannot encode a video of " +
                    std::to_string(size.x) + "x" + std::to_string(size.y));
    e.frame->width = e.codec->width;
    e.frame->height = e.codec->height;
    e.frame->format = e.codec->pix_fmt;
    check(av_frame_get_buffer(e.frame.get(), 0));
    e.convert.reset(sws_getContext(e.codec->width, e.codec->height, AV_PIX_FMT_BGR24,
                                   e.codec->width, e.codec->height, e.codec->pix_fmt,
                                   SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT, nullptr, nullptr,
                                   nullptr));

    AVFormatContext* file = nullptr;
    check(avformat_alloc_output_context2(&file, nullptr, nullptr, file_.path().c_str()));
    e.file.reset(file);
    file->flags |= AVFMT_FLAG_BITEXACT;
    AVStream* stream = avformat_new_stream(file, nullptr);
    stream->time_base = e.codec->time_base;
    stream->avg_frame_rate = e.codec->framerate;
    check(avcodec_parameters_from_context(stream->codecpar, e.codec.get()));
    check(avio_open(&file->pb, file_.beside().c_str(), AVIO_FLAG_WRITE));
    check(avformat_write_header(file, nullptr));
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::check(int code) const { check_written(code, path()); }

void VideoWriter::write(const PictureView& picture, int64_t ticks) {
    if (picture.width != size_.x || picture.height != size_.y || !picture.bgr)
        throw Error("a picture of another size or with a time that goes back was written to '" +
                    path().string() + "'");
    const AVFrame& frame = writable_frame();
    const int row_bytes = static_cast<int>(picture.row_bytes);
    sws_scale(encoder_->convert.get(), &picture.pixels, &row_bytes, 0, frame.height, frame.data,
              frame.linesize);
    show_from(ticks);
}

void VideoWriter::write(const PlanarView& picture, int64_t ticks) {
    const AVFrame& frame = writable_frame();
    const PlaneLayout wanted{size_.x, size_.y,
                             frame.format == AV_PIX_FMT_YUV420P ? Chroma::halved : Chroma::full};
    if (picture.layout == wanted) {
        const auto planes = wanted.planes();
        for (size_t i = 0; i < 3; ++i)
            av_image_copy_plane(frame.data[i], frame.linesize[i], picture.memory + planes[i].begin,
                                static_cast<int>(planes[i].row_bytes),
                                static_cast<int>(planes[i].width),
                                static_cast<int>(planes[i].height));
    } else {
        fit_planes(picture, wanted, frame.data, frame.linesize);
    }
    show_from(ticks);
}

AVFrame& VideoWriter::writable_frame() {
    check(
        av_frame_make_writable(encoder_->frame.get()));  // the encoder may still hold the last one
    return *encoder_->frame;
}

void VideoWriter::show_from(int64_t ticks) {
    AVFrame& frame = *encoder_->frame;
    frame.pts = ticks;
    frame.quality = encoder_->codec->global_quality;
    encode(&frame);
    next_ticks_ = ticks + clock_.frame();
    ++frames_;
}

// Without a frame, flushes the encoder.
void VideoWriter::encode(const AVFrame* frame) {
    Encoder& e = *encoder_;
    check(avcodec_send_frame(e.codec.get(), frame));
    for (;;) {
        const int code = avcodec_receive_packet(e.codec.get(), e.packet.get());
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
        check(code);
        e.packet->duration = clock_.frame();
        av_packet_rescale_ts(e.packet.get(), e.codec->time_base, e.file->streams[0]->time_base);
        check(av_write_frame(e.file.get(), e.packet.get()));
        check(e.file->pb->error);
        av_packet_unref(e.packet.get());
    }
}

void VideoWriter::finish() {
    if (!encoder_) return;
    encode(nullptr);
    check(av_write_trailer(encoder_->file.get()));
    check(avio_closep(&encoder_->file->pb));
    encoder_.reset();
    if (frames_ > 0) file_.finish();  // without frames there is no file
}

}  // namespace saccade
