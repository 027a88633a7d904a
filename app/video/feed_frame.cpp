#include "app/video/feed_frame.h"

#include <algorithm>

#include "gpu/core/error.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace saccade {

namespace {

// Chroma may be subsampled, so all sizes and offsets are even.
uint32_t even(double pixels) { return std::max(static_cast<uint32_t>(pixels) & ~1u, 2u); }

struct Inside {
    Size corner, size;
};
Inside fit(Size picture, Size frame) {
    const double scale =
        std::min(double(frame.x) / double(picture.x), double(frame.y) / double(picture.y));
    const Size size{std::min(even(picture.x * scale + 0.5), frame.x),
                    std::min(even(picture.y * scale + 0.5), frame.y)};
    return {{(frame.x - size.x) / 2 & ~1u, (frame.y - size.y) / 2 & ~1u}, size};
}

}  // namespace

FeedFrame::FeedFrame(Size size, AVPixelFormat format) : frame_(av_frame_alloc()) {
    frame_->width = static_cast<int>(size.x);
    frame_->height = static_cast<int>(size.y);
    frame_->format = format;
    if (av_frame_get_buffer(frame_.get(), 1) < 0) throw Error("out of memory for a picture");
}

void FeedFrame::paint_black() {
    ptrdiff_t rows[4];
    std::copy_n(frame_->linesize, 4, rows);
    av_image_fill_black(frame_->data, rows, static_cast<AVPixelFormat>(frame_->format),
                        AVCOL_RANGE_MPEG, frame_->width, frame_->height);
}

AVFrame& FeedFrame::fill(const PictureView& bgr) {
    if (av_frame_make_writable(frame_.get()) < 0) throw Error("out of memory for a picture");
    const Size from{bgr.width, bgr.height};
    const auto format = static_cast<AVPixelFormat>(frame_->format);
    const auto [corner, size] =
        fit(from, {static_cast<uint32_t>(frame_->width), static_cast<uint32_t>(frame_->height)});
    if (!convert_ || from != from_) {
        from_ = from;
        convert_.reset(sws_getContext(static_cast<int>(from.x), static_cast<int>(from.y),
                                      AV_PIX_FMT_BGR24, static_cast<int>(size.x),
                                      static_cast<int>(size.y), format, SWS_BILINEAR, nullptr,
                                      nullptr, nullptr));
        if (!convert_) throw Error("pictures cannot be converted for a feed");
        paint_black();
    }
    const AVPixFmtDescriptor& about = *av_pix_fmt_desc_get(format);
    uint8_t* planes[4] = {};
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const int smaller_y = plane ? about.log2_chroma_h : 0;
        const int left = av_image_get_linesize(format, static_cast<int>(corner.x), plane);
        planes[plane] = frame_->data[plane] + left +
                        static_cast<int>(corner.y >> smaller_y) * frame_->linesize[plane];
    }
    const int row_bytes = static_cast<int>(bgr.row_bytes);
    sws_scale(convert_.get(), &bgr.pixels, &row_bytes, 0, static_cast<int>(from.y), planes,
              frame_->linesize);
    return *frame_;
}

}  // namespace saccade
