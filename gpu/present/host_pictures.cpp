#include "gpu/present/host_pictures.h"

#include <algorithm>
#include <cstring>

namespace saccade {

HostPictures::HostPictures(Device& drawing) : drawing_(drawing), scratch_(drawing, "pictures") {
    for (std::unique_ptr<Place>& place : places_)
        place = std::make_unique<Place>(drawing, scratch_);
}

Ticket HostPictures::fill(size_t slot, Size size, std::span<const Part> parts) {
    Place& place = *places_[slot];
    drawing_.wait(place.ticket, "a picture for a window");
    place.size = size;
    place.pieces.resize(parts.size());
    Commands& c = place.commands;
    c.begin();
    for (size_t i = 0; i < parts.size(); ++i) {
        Piece& piece = place.pieces[i];
        const Image& image = *parts[i].image;
        const Size own(image.width(), image.height());
        if (!piece.pixels || piece.size != own)
            piece.pixels = std::make_unique<Readback>(drawing_, own.x, own.y, true);
        piece.size = own;
        piece.corner = parts[i].corner;
        piece.pixels->record(c, image);
        host_bytes_ += uint64_t{3} * area(own);
    }
    c.end();
    return place.ticket = c.submit();
}

PictureRing::Shown HostPictures::open(size_t slot) {
    Place& place = *places_[slot];
    if (place.pieces.size() == 1 && place.pieces.front().size == place.size)
        return {.host = place.pieces.front().pixels->picture()};
    const size_t row = size_t{3} * place.size.x;
    place.together.assign(row * place.size.y, 0);
    for (const Piece& piece : place.pieces) {
        const PictureView from = piece.pixels->picture();
        for (uint32_t y = 0; y < from.height; ++y)
            std::memcpy(&place.together[(piece.corner.y + y) * row + size_t{3} * piece.corner.x],
                        from.pixels + size_t(y) * from.row_bytes, size_t{3} * from.width);
    }
    return {.host = PictureView{place.together.data(), place.size.x, place.size.y,
                                static_cast<uint32_t>(row), true}};
}

}  // namespace saccade
