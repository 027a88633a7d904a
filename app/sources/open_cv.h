#pragma once

#include <opencv2/videoio.hpp>
#include <string>

#include "app/sources/source.h"

// What video files, cameras and streams share: OpenCV's VideoCapture.

namespace saccade {

// Opens it; what OpenCV and FFmpeg have to say is kept off stderr. False where it cannot be opened.
bool open_video(cv::VideoCapture& capture, const std::string& where, int backend,
                const SourceOptions& options);

// Decodes the next frame; false at the end.
bool grab(cv::VideoCapture& capture);

// The frame that was grabbed goes into the consumer's slot, turned clockwise by so many right
// angles. Returns its size, empty where there is no picture to be had.
ImageSize retrieve(cv::VideoCapture& capture, const GiveSlot& give, int quarter_turns = 0);

ImageSize size_of(const cv::VideoCapture& capture);
double rate_of(const cv::VideoCapture& capture);  // 0: unknown

}  // namespace saccade
