#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors.h"
#include "models/files/zip_archive.h"

namespace saccade {

// A state dict written by torch.save: a zip archive with a pickle, data.pkl, that describes the
// tensors and their layout in storages, and a file for each storage. Only tensors are read: a
// pickle that refers to anything else is an Error, and nothing in it is ever executed.
class PyTorchFile {
public:
    explicit PyTorchFile(const std::filesystem::path& path);

    // Sorted by name, without their bytes.
    std::span<const StoredTensor> tensors() const { return tensors_; }
    // The bytes of the tensor with this index, contiguous; valid until the next call.
    std::span<const std::byte> bytes_of(size_t index);

private:
    struct Layout {
        std::span<const std::byte> storage;  // from the tensor's first element on
        std::vector<uint64_t> strides;       // in elements; empty: contiguous
    };

    ZipArchive archive_;
    std::vector<StoredTensor> tensors_;
    std::vector<Layout> layouts_;           // of tensors_
    std::vector<std::byte> gathered_;       // the last tensor, if it was not contiguous
    std::span<const std::byte> last_read_;  // the storage that bytes_of read last
};

// Converts pytorch_model.bin of a model folder, or the shards that pytorch_model.bin.index.json
// lists, to converted_weights in the same folder.
void convert_pytorch(const std::filesystem::path& folder);

}  // namespace saccade
