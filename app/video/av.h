#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <filesystem>
#include <memory>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

// Owners of FFmpeg's objects, and the text of its errors.

namespace saccade {

struct AvDeleter {
    void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
    void operator()(AVFrame* p) const { av_frame_free(&p); }
    void operator()(AVPacket* p) const { av_packet_free(&p); }
    void operator()(SwsContext* p) const { sws_freeContext(p); }
    // A demuxer; a muxer has a file to close first.
    void operator()(AVFormatContext* p) const {
        if (p->oformat) {
            avio_closep(&p->pb);
            avformat_free_context(p);
        } else {
            avformat_close_input(&p);
        }
    }
};
template <typename T>
using Av = std::unique_ptr<T, AvDeleter>;

inline std::string av_error(int code) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, text, sizeof text);
    return text;
}

// An Error, as of refuse_write(), unless the code of a muxer is 0 or more.
inline void check_written(int code, const std::filesystem::path& path) {
    if (code >= 0) return;
    constexpr int most_errno = 4095;  // FFmpeg's own codes are further from 0
    if (code >= -most_errno) refuse_write(path, AVUNERROR(code));
    throw Error("'" + path.string() + "' cannot be written: " + av_error(code));
}

}  // namespace saccade
