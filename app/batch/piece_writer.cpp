#include "app/batch/piece_writer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "app/annotate.h"
#include "gpu/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

cv::Mat mat_of(const PictureView& picture) {  // which OpenCV only reads
    return cv::Mat(static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8UC3,
                   const_cast<uint8_t*>(picture.pixels), picture.row_bytes);
}

// All frames of a video have one size: a picture of another one is made as large as fits, in the
// middle.
PictureView fit(const PictureView& picture, ImageSize size, cv::Mat& into) {
    if (picture.width == size.width && picture.height == size.height) return picture;
    const double scale = std::min(double(size.width) / double(picture.width),
                                  double(size.height) / double(picture.height));
    auto scaled = [&](uint32_t side, uint32_t most) {
        return std::clamp(static_cast<int>(std::lround(side * scale)), 1, static_cast<int>(most));
    };
    const cv::Size inner(scaled(picture.width, size.width), scaled(picture.height, size.height));
    const cv::Size outer(static_cast<int>(size.width), static_cast<int>(size.height));
    into = cv::Mat::zeros(outer, CV_8UC3);
    const cv::Rect middle((outer.width - inner.width) / 2, (outer.height - inner.height) / 2,
                          inner.width, inner.height);
    cv::resize(mat_of(picture), into(middle), inner, 0, 0,
               scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    return {into.data, size.width, size.height, static_cast<uint32_t>(into.step), true};
}

}  // namespace

PieceWriter::PieceWriter(const BatchPlan& plan, const PlannedSource& source, const WorkFolder& work,
                         uint64_t first_piece, fs::path pictures, LineFile& lines,
                         ResultLabels labels, StageTotals& totals)
    : plan_(plan),
      source_(source),
      work_(work),
      piece_(first_piece),
      pictures_(std::move(pictures)),
      lines_(lines),
      labels_(std::move(labels)),
      totals_(totals),
      clock_(source.rate) {}

void PieceWriter::add(FramePipeline::Finished frame) {
    // Where no picture of a piece could be read, it is empty.
    for (const uint64_t piece = plan_.piece_of(frame.result.info.index); piece_ < piece; ++piece_)
        end_piece(true);
    const auto begin = Clock::now();
    write(frame);
    frame.frame.release();  // the next frame may have its memory
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (plan_.video || plan_.frames) frame.result.ms.emplace_back("encode", took.count());
    lines_.add(json_of(frame.result, labels_)
                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    totals_.add(frame.result);
}

void PieceWriter::write(const FramePipeline::Finished& frame) {
    begun_ = true;
    const FrameInfo& info = frame.result.info;
    if (!pictures_.empty()) {
        char name[32];
        std::snprintf(name, sizeof name, "%06llu.png", static_cast<unsigned long long>(info.index));
        write_picture(pictures_ / name, mat_of(frame.picture));
    }
    if (!plan_.video) return;
    if (!video_)
        video_ =
            std::make_unique<VideoWriter>(work_.partial(source_, piece_), source_.size, clock_);
    video_->write(fit(frame.picture, source_.size, fitted_), clock_.ticks(info.time));
}

void PieceWriter::end_piece(bool whole) {
    begun_ = false;
    const bool has_video = video_ != nullptr;
    if (has_video) video_->finish();
    video_.reset();
    if (!whole) return;
    const fs::path path = work_.whole(source_, piece_);
    std::error_code error;
    if (has_video)
        fs::rename(work_.partial(source_, piece_), path, error);
    else if (!std::ofstream(path))
        error = std::make_error_code(std::errc::no_space_on_device);
    if (error) throw Error("'" + path.string() + "' cannot be written: " + error.message());
}

void PieceWriter::finish(bool whole, uint64_t end) {
    if (begun_) {
        end_piece(whole);
        ++piece_;
    }
    if (whole && end != UINT64_MAX)
        for (; piece_ < end; ++piece_) end_piece(true);
}

}  // namespace saccade
