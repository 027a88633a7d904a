#include "app/video/sound.h"

#include <algorithm>

namespace saccade {

Sound::Sound(const std::filesystem::path& source, double from) {
    av_log_set_level(AV_LOG_QUIET);
    const std::string name = "'" + source.string() + "'";
    AVFormatContext* file = nullptr;
    const int code = avformat_open_input(&file, source.c_str(), nullptr, nullptr);
    if (code < 0) {
        complaint_ = "the sound of " + name + " is left out: " + av_error(code);
        return;
    }
    file_.reset(file);
    avformat_find_stream_info(file, nullptr);
    const int video = av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) return;
    AVStream& pictures = *file->streams[video];
    pixel_aspect_ = av_guess_sample_aspect_ratio(file, &pictures, nullptr);
    begin_ = from;
    if (pictures.start_time != AV_NOPTS_VALUE)
        begin_ += double(pictures.start_time) * av_q2d(pictures.time_base);
}

void Sound::add_streams(AVFormatContext& to) {
    if (!file_) return;
    for (unsigned i = 0; i < file_->nb_streams; ++i) {
        const AVCodecParameters& codec = *file_->streams[i]->codecpar;
        if (codec.codec_type != AVMEDIA_TYPE_AUDIO) continue;
        if (avformat_query_codec(to.oformat, codec.codec_id, FF_COMPLIANCE_NORMAL) != 1) {
            complaint_ = "the sound of '" + std::string(file_->url) +
                         "' is left out: " + avcodec_get_name(codec.codec_id) +
                         " cannot be stored in this container";
            continue;
        }
        AVStream* stream = avformat_new_stream(&to, nullptr);
        avcodec_parameters_copy(stream->codecpar, &codec);
        stream->codecpar->codec_tag = 0;  // tags differ between containers
        stream->time_base = file_->streams[i]->time_base;
        av_dict_copy(&stream->metadata, file_->streams[i]->metadata, 0);
        streams_.push_back({static_cast<int>(i), stream});
    }
    at_end_ = streams_.empty();
}

void Sound::next() {
    while (!at_end_) {
        av_packet_unref(packet_.get());
        if (av_read_frame(file_.get(), packet_.get()) < 0) {
            at_end_ = true;
            return;
        }
        const auto stream = std::ranges::find(streams_, packet_->stream_index, &Stream::from);
        if (stream == streams_.end() || packet_->pts == AV_NOPTS_VALUE) continue;
        const AVRational unit = file_->streams[stream->from]->time_base;
        time_ = double(packet_->pts) * av_q2d(unit) - begin_;
        const double lasts = double(packet_->duration) * av_q2d(unit);
        // The packet just before the first picture primes the audio decoder.
        if (time_ + lasts < 0) continue;
        const auto shift = static_cast<int64_t>(begin_ / av_q2d(unit));
        packet_->pts -= shift;
        packet_->dts = packet_->pts;  // audio has no reordering
        packet_->stream_index = stream->to->index;
        packet_->pos = -1;
        av_packet_rescale_ts(packet_.get(), unit, stream->to->time_base);
        return;
    }
}

}  // namespace saccade
