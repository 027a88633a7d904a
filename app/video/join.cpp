#include "app/video/join.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "app/video/av.h"
#include "app/video/sound.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// Demuxes the packets of all pieces, one after the other.
class Pieces {
public:
    Pieces(const std::vector<fs::path>& paths, const VideoClock& clock)
        : paths_(paths), unit_{1, static_cast<int>(clock.second())} {
        open();
    }

    const AVCodecParameters& codec() const { return *file_->streams[0]->codecpar; }
    AVRational unit() const { return unit_; }
    int64_t first() const { return *first_; }  // pts of the first frame in ticks; after next()

    // The next packet, in ticks since the first frame; false at the end.
    bool next(AVPacket& packet) {
        for (;;) {
            av_packet_unref(&packet);
            const int code = av_read_frame(file_.get(), &packet);
            if (code == 0) break;
            if (code != AVERROR_EOF) fail(av_error(code));
            if (++at_ == paths_.size()) return false;
            const Av<AVFormatContext> before = std::move(file_);
            open();
            const AVCodecParameters& a = *before->streams[0]->codecpar;
            const AVCodecParameters& b = codec();
            if (a.codec_id != b.codec_id || a.width != b.width || a.height != b.height ||
                a.extradata_size != b.extradata_size ||
                !std::equal(a.extradata, a.extradata + a.extradata_size, b.extradata))
                fail("it was encoded in another way than the piece before");
        }
        int64_t ticks = av_rescale_q(packet.pts, file_->streams[0]->time_base, unit_);
        if (!first_) first_ = ticks;
        ticks -= *first_;
        if (last_ && ticks <= *last_) ticks = *last_ + 1;  // some files repeat timestamps
        last_ = packet.pts = packet.dts = ticks;
        packet.stream_index = 0;
        packet.pos = -1;
        return true;
    }

private:
    void open() {
        AVFormatContext* file = avformat_alloc_context();
        file->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
        const int code = avformat_open_input(&file, paths_[at_].c_str(), nullptr, nullptr);
        if (code < 0) fail(av_error(code));
        file_.reset(file);
        if (file->nb_streams != 1) fail("it is no piece of a video");
    }
    [[noreturn]] void fail(const std::string& why) const {
        throw Error("'" + paths_[at_].string() + "' cannot be joined: " + why);
    }

    const std::vector<fs::path>& paths_;
    AVRational unit_;
    size_t at_ = 0;
    Av<AVFormatContext> file_;
    std::optional<int64_t> first_, last_;
};

// The muxer of the joined file.
class Output {
public:
    // `path` is the final name.
    Output(const fs::path& beside, const fs::path& path) : path_(path) {
        AVFormatContext* file = nullptr;
        check(avformat_alloc_output_context2(&file, nullptr, "mp4", beside.c_str()));
        file_.reset(file);
        file->flags |= AVFMT_FLAG_BITEXACT;
    }
    AVFormatContext& context() { return *file_; }

    void begin() {
        check(avio_open(&file_->pb, file_->url, AVIO_FLAG_WRITE));
        AVDictionary* options = nullptr;
        av_dict_set(&options, "movflags", "+faststart", 0);  // the index first, for streaming
        const int code = avformat_write_header(file_.get(), &options);
        av_dict_free(&options);
        check(code);
    }
    void write(AVPacket& packet) {
        check(av_interleaved_write_frame(file_.get(), &packet));
        check(file_->pb->error);
    }
    void end() {
        check(av_write_trailer(file_.get()));
        check(avio_closep(&file_->pb));
    }

private:
    void check(int code) const { check_written(code, path_); }

    fs::path path_;
    Av<AVFormatContext> file_;
};

}  // namespace

std::string join_video(const JoinedVideo& video, const fs::path& path, const fs::path& work) {
    av_log_set_level(AV_LOG_QUIET);  // errors are reported by Saccade itself
    FileBeside whole(path, work);
    Pieces pieces(video.pieces, video.clock);
    const Av<AVPacket> frame(av_packet_alloc());
    bool more = pieces.next(*frame);
    if (!more) throw Error("the pieces of '" + path.string() + "' have no frames");

    Output output(whole.beside(), path);
    AVStream& pictures = *avformat_new_stream(&output.context(), nullptr);
    avcodec_parameters_copy(pictures.codecpar, &pieces.codec());
    pictures.codecpar->codec_tag = 0;
    pictures.time_base = pieces.unit();
    std::optional<Sound> sound;
    if (video.sound) {
        sound.emplace(*video.sound, double(pieces.first()) / double(video.clock.second()));
        AVRational aspect = sound->pixel_aspect();
        if (video.rotated) std::swap(aspect.num, aspect.den);
        if (aspect.num > 0 && aspect.den > 0)
            pictures.sample_aspect_ratio = pictures.codecpar->sample_aspect_ratio = aspect;
        sound->add_streams(output.context());
    }
    output.begin();
    if (sound) sound->next();
    // Audio packets are interleaved just before the frame of their time.
    auto write_sound_until = [&](double seconds) {
        for (; sound && sound->packet() && sound->time() < seconds; sound->next())
            output.write(*sound->packet());
    };
    double end = 0;
    while (more) {
        const double time = double(frame->pts) / double(video.clock.second());
        write_sound_until(time);
        end = time + double(video.last_ticks) / double(video.clock.second());
        frame->duration = video.last_ticks;
        av_packet_rescale_ts(frame.get(), pieces.unit(), pictures.time_base);
        output.write(*frame);
        more = pieces.next(*frame);
    }
    write_sound_until(end);
    output.end();
    whole.finish();
    return sound ? sound->complaint() : "";
}

}  // namespace saccade
