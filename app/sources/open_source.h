#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "app/frame/source.h"

namespace saccade {

enum class SourceKind { camera, stream, video, pictures, synth, screen };

// What a source is: a camera's number or device, a URL, a video file, a picture, a folder or a
// glob of pictures, synth:, or screen:. An Error if it is none of them.
SourceKind kind_of_source(const SourceName& name);

// A source that waits for the user's permission stops waiting when a stop is requested.
std::unique_ptr<Source> open_source(const SourceName& name, const SourceOptions& options = {},
                                    const std::stop_token& stop = {});

}  // namespace saccade
