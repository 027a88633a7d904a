#include "tests/golden_picture.h"

#include <png.h>

#include "gpu/core/error.h"
#include "tests/places.h"

namespace saccade {

std::string golden_picture_file(const std::string& name) {
    return std::string(places::tests()) + "/golden/images/" + name + ".png";
}

PpmPicture read_golden_picture(const std::string& name) {
    const std::string file = golden_picture_file(name);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, file.c_str()))
        throw Error(file + ": " + image.message);
    image.format = PNG_FORMAT_RGB;
    PpmPicture picture{image.width, image.height, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
    if (!png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr))
        throw Error(file + ": " + image.message);
    return picture;
}

}  // namespace saccade
