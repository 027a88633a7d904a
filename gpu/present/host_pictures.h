#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "gpu/present/picture_ring.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/readback.h"

namespace saccade {

// Sends pictures through the host's memory: for software Vulkan, where the host composes windows
// anyway, and for two devices that share no memory.
class HostPictures final : public PictureRing {
public:
    explicit HostPictures(Device& drawing);
    ~HostPictures() override { drawing_.come_to_rest(); }

    uint64_t host_bytes() const override { return host_bytes_; }

private:
    struct Piece {
        std::unique_ptr<Readback> pixels;
        Size size, corner;
    };
    struct Place {
        Place(Device& device, Arena& scratch) : commands(device, scratch, "picture for a window") {}
        Commands commands;
        Size size;
        std::vector<Piece> pieces;
        std::vector<uint8_t> together;  // several pieces, composed
        Ticket ticket;
    };

    Ticket fill(size_t slot, Size size, std::span<const Part> parts) override;
    Shown open(size_t slot) override;
    void close(size_t) override {}

    Device& drawing_;
    Arena scratch_;
    std::array<std::unique_ptr<Place>, pictures> places_;
    std::atomic<uint64_t> host_bytes_ = 0;
};

}  // namespace saccade
