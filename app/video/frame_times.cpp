#include "app/video/frame_times.h"

#include <algorithm>

#include "app/video/av.h"

namespace saccade {

std::vector<double> frame_times_after(const std::filesystem::path& path, double time) {
    AVFormatContext* opened = nullptr;
    if (avformat_open_input(&opened, path.c_str(), nullptr, nullptr) < 0) return {};
    const Av<AVFormatContext> file(opened);
    avformat_find_stream_info(file.get(), nullptr);
    const int video = av_find_best_stream(file.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) return {};
    const AVStream& stream = *file->streams[video];
    const double unit = av_q2d(stream.time_base);
    const int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    // Goes back to a frame that decoding can begin with; where it cannot, all is read.
    av_seek_frame(file.get(), video, start + static_cast<int64_t>(time / unit),
                  AVSEEK_FLAG_BACKWARD);
    std::vector<double> times;
    const Av<AVPacket> packet(av_packet_alloc());
    while (av_read_frame(file.get(), packet.get()) >= 0) {
        const bool shown = packet->stream_index == video && packet->pts != AV_NOPTS_VALUE &&
                           !(packet->flags & AV_PKT_FLAG_DISCARD);
        const double at = double(packet->pts - start) * unit;
        if (shown && at > time + unit / 2) times.push_back(at);
        av_packet_unref(packet.get());
    }
    std::ranges::sort(times);
    return times;
}

}  // namespace saccade
