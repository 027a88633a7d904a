#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/safetensors.h"

// Zip archives and pickles written byte by byte, valid ones as torch.save writes them, and others.
namespace saccade {

inline std::string little(uint64_t value, size_t bytes) {
    std::string text(bytes, '\0');
    std::memcpy(text.data(), &value, std::min(bytes, sizeof value));
    return text;
}

struct ZipEntry {
    std::string name, content;
    uint16_t flags = 0, method = 0;
    std::string local_name = {};  // empty: the same
};

// `zip64`: every number of the directory is in the zip64 field.
inline std::string zip_of(const std::vector<ZipEntry>& entries, bool zip64 = false) {
    std::string zip, directory;
    for (const ZipEntry& entry : entries) {
        const uint64_t offset = zip.size(), size = entry.content.size();
        const std::string& local = entry.local_name.empty() ? entry.name : entry.local_name;
        const std::string padding(3, 'F');  // PyTorch aligns storages by an extra field
        zip += "PK\3\4" + little(0, 2) + little(entry.flags, 2) + little(entry.method, 2) +
               little(0, 8) + little(size, 4) + little(size, 4) + little(local.size(), 2) +
               little(padding.size(), 2) + local + padding + entry.content;
        const std::string extra = zip64 ? little(1, 2) + little(24, 2) + little(size, 8) +
                                              little(size, 8) + little(offset, 8)
                                        : "";
        directory += "PK\1\2" + little(0, 4) + little(entry.flags, 2) + little(entry.method, 2) +
                     little(0, 8) + little(zip64 ? UINT32_MAX : size, 4) +
                     little(zip64 ? UINT32_MAX : size, 4) + little(entry.name.size(), 2) +
                     little(extra.size(), 2) + little(0, 2) + little(0, 8) +
                     little(zip64 ? UINT32_MAX : offset, 4) + entry.name + extra;
    }
    const uint64_t begin = zip.size(), count = entries.size();
    zip += directory;
    if (zip64) {
        const uint64_t end = zip.size();
        zip += "PK\6\6" + little(44, 8) + little(0, 12) + little(count, 8) + little(count, 8) +
               little(directory.size(), 8) + little(begin, 8);
        zip += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
    }
    zip += "PK\5\6" + little(0, 4) + little(zip64 ? 0xffff : count, 2) +
           little(zip64 ? 0xffff : count, 2) + little(zip64 ? UINT32_MAX : directory.size(), 4) +
           little(zip64 ? UINT32_MAX : begin, 4) + little(0, 2);
    return zip;
}

// Pieces of a pickle of protocol 2.
namespace pickled {

using namespace std::string_literals;

inline std::string text(std::string_view value) {
    return "X" + little(value.size(), 4) + std::string(value);
}
inline std::string whole(int64_t value) {
    if (value >= 0 && value < 256) return "K" + little(uint64_t(value), 1);
    if (value >= INT32_MIN && value <= INT32_MAX) return "J" + little(uint64_t(value), 4);
    return "\x8a\x08" + little(uint64_t(value), 8);
}
inline std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::string& items) { return "(" + items + "t"; }
inline std::string wholes(const std::vector<int64_t>& values) {
    std::string items;
    for (int64_t value : values) items += whole(value);
    return tuple(items);
}
inline std::string ordered_dict() { return global("collections", "OrderedDict") + ")R"; }
inline std::string storage(const std::string& type, const std::string& key, int64_t elements) {
    return tuple(text("storage") + global("torch", type) + text(key) + text("cpu") +
                 whole(elements)) +
           "Q";
}
inline std::string tensor(const std::string& storage, int64_t offset,
                          const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
    return global("torch._utils", "_rebuild_tensor_v2") +
           tuple(storage + whole(offset) + wholes(shape) + wholes(strides) + "\x89" +
                 ordered_dict()) +
           "R";
}
inline std::string parameter(const std::string& tensor) {
    return global("torch._utils", "_rebuild_parameter") + tuple(tensor + "\x88" + ordered_dict()) +
           "R";
}
// A state dict with the versions of its modules, as every module's has.
inline std::string state_dict(const std::string& items) {
    return "\x80\x02" + ordered_dict() + "q\x01(" + items + "u}" + text("_metadata") +
           ordered_dict() + "(" + text("") + "}" + text("version") + whole(1) + "su" + "sb.";
}

}  // namespace pickled

// A PyTorch file of this pickle and these storages, named 0, 1, ...
inline std::string torch_file(const std::string& pickle, const std::vector<std::string>& storages,
                              bool zip64 = false) {
    std::vector<ZipEntry> entries{{"archive/data.pkl", pickle}, {"archive/byteorder", "little"}};
    for (size_t i = 0; i < storages.size(); ++i)
        entries.push_back({"archive/data/" + std::to_string(i), storages[i]});
    entries.push_back({"archive/version", "3\n"});
    return zip_of(entries, zip64);
}

// The tensors of any file as torch.save writes them.
inline std::string torch_file(std::span<const StoredTensor> tensors) {
    std::string items;
    std::vector<std::string> storages;
    for (const StoredTensor& t : tensors) {
        const char* type = t.type == StoredType::f16    ? "HalfStorage"
                           : t.type == StoredType::bf16 ? "BFloat16Storage"
                                                        : "FloatStorage";
        std::vector<int64_t> shape(t.shape.begin(), t.shape.end()), strides(shape.size(), 1);
        for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
        items += pickled::text(t.name) +
                 pickled::tensor(
                     pickled::storage(type, std::to_string(storages.size()), int64_t(t.elements())),
                     0, shape, strides);
        storages.emplace_back(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
    }
    return torch_file(pickled::state_dict(items), storages);
}

}  // namespace saccade
