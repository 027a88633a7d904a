#include "models/files/zip_archive.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {
namespace {

constexpr uint32_t local_signature = 0x04034b50, central_signature = 0x02014b50,
                   end_signature = 0x06054b50, end64_signature = 0x06064b50,
                   locator64_signature = 0x07064b50;
constexpr size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, end64_bytes = 56,
                 locator64_bytes = 20, longest_comment = 0xffff;
constexpr uint32_t elsewhere = 0xffffffff;  // the value is in the zip64 field

// Consecutive little-endian fields; reading past the end is an Error.
class Fields {
public:
    Fields(const std::string& file, std::span<const std::byte> bytes) : file_(file), rest_(bytes) {}

    uint16_t u16() { return static_cast<uint16_t>(number(2)); }
    uint32_t u32() { return static_cast<uint32_t>(number(4)); }
    uint64_t u64() { return number(8); }
    std::span<const std::byte> take(size_t count) {
        if (count > rest_.size())
            throw Error(file_ +
                        ": its zip directory is cut off; the file is damaged, fetch it again");
        const auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    std::string text(size_t count) {
        const auto bytes = take(count);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool empty() const { return rest_.empty(); }

private:
    uint64_t number(size_t count) {
        uint64_t value = 0;
        std::memcpy(&value, take(count).data(), count);
        return value;
    }

    const std::string& file_;
    std::span<const std::byte> rest_;
};

struct Directory {
    uint64_t files = 0, offset = 0, bytes = 0;
};

class DirectoryReader {
public:
    DirectoryReader(std::string file, std::span<const std::byte> all)
        : file_(std::move(file)), all_(all) {}

    [[noreturn]] void refuse(const std::string& problem) const {
        throw Error(file_ + ": " + problem + "; the file is damaged, fetch it again");
    }

    Directory directory() const {
        const size_t end = end_record();
        Fields fields = at(end, end_bytes);
        fields.take(4);
        const uint16_t disk = fields.u16(), directory_disk = fields.u16(), here = fields.u16();
        Directory directory{.files = fields.u16()};
        directory.bytes = fields.u32();
        directory.offset = fields.u32();
        if (disk != directory_disk || here != directory.files) refuse("is a zip of several disks");
        if (directory.files == 0xffff || directory.bytes == elsewhere ||
            directory.offset == elsewhere)
            directory = directory64(end);
        if (directory.offset > end || directory.bytes > end - directory.offset)
            refuse("its zip directory lies outside of it");
        return directory;
    }

    // One entry of the directory: its name and its bytes. `taken` gets the range of the archive
    // that it occupies, including its header.
    std::pair<std::string, std::span<const std::byte>> entry(
        Fields& fields, const Directory& directory,
        std::vector<std::pair<uint64_t, uint64_t>>& taken) const {
        if (fields.u32() != central_signature) refuse("its zip directory is garbled");
        fields.take(4);  // versions
        const uint16_t flags = fields.u16(), method = fields.u16();
        fields.take(8);  // time, date, checksum
        uint64_t stored = fields.u32(), size = fields.u32();
        const uint16_t name_bytes = fields.u16(), extra_bytes = fields.u16(),
                       comment_bytes = fields.u16();
        fields.take(8);  // disk, attributes
        uint64_t offset = fields.u32();
        std::string name = fields.text(name_bytes);
        read_extra(fields.take(extra_bytes), size, stored, offset);
        fields.take(comment_bytes);

        if (flags & 1) refuse("file " + in_quotes(name) + " of it is encrypted");
        if (method != 0 || stored != size)
            refuse("file " + in_quotes(name) + " of it is compressed, which PyTorch does not do");
        if (offset > directory.offset || directory.offset - offset < local_bytes)
            refuse("file " + in_quotes(name) + " lies outside of it");
        Fields local = at(offset, local_bytes);
        const bool has_signature = local.u32() == local_signature;
        local.take(22);
        const uint16_t local_name_bytes = local.u16(), local_extra_bytes = local.u16();
        const uint64_t begin = offset + local_bytes + local_name_bytes + local_extra_bytes;
        if (!has_signature || begin > directory.offset || size > directory.offset - begin)
            refuse("file " + in_quotes(name) + " lies outside of it");
        if (at(offset + local_bytes, local_name_bytes).text(local_name_bytes) != name)
            refuse("file " + in_quotes(name) + " has two names");
        taken.emplace_back(offset, begin + size);
        return {std::move(name), all_.subspan(begin, size)};
    }

    Fields at(uint64_t offset, uint64_t bytes) const {
        if (offset > all_.size() || bytes > all_.size() - offset)
            refuse("its zip directory lies outside of it");
        return {file_, all_.subspan(offset, bytes)};
    }

private:
    // The end of central directory record, which a comment may follow.
    size_t end_record() const {
        const size_t furthest = std::min(all_.size(), end_bytes + longest_comment);
        for (size_t back = end_bytes; back <= furthest; ++back) {
            const size_t offset = all_.size() - back;
            if (at(offset, 4).u32() != end_signature) continue;
            if (at(offset + end_bytes - 2, 2).u16() == back - end_bytes) return offset;
        }
        refuse("is not a zip archive");
    }

    Directory directory64(size_t end) const {
        if (end < locator64_bytes) refuse("its zip directory is garbled");
        Fields locator = at(end - locator64_bytes, locator64_bytes);
        if (locator.u32() != locator64_signature) refuse("its zip directory is garbled");
        locator.take(4);
        Fields fields = at(locator.u64(), end64_bytes);
        if (fields.u32() != end64_signature) refuse("its zip directory is garbled");
        fields.take(28);  // its size, versions, disks, files on this disk
        Directory directory{.files = fields.u64()};
        directory.bytes = fields.u64();
        directory.offset = fields.u64();
        return directory;
    }

    // The zip64 extra field has a number for each field that is `elsewhere`, in this order.
    void read_extra(std::span<const std::byte> extra, uint64_t& size, uint64_t& stored,
                    uint64_t& offset) const {
        Fields fields(file_, extra);
        while (!fields.empty()) {
            const uint16_t id = fields.u16(), bytes = fields.u16();
            Fields field(file_, fields.take(bytes));
            if (id != 1) continue;
            for (uint64_t* number : {&size, &stored, &offset})
                if (*number == elsewhere) *number = field.u64();
        }
    }

    std::string file_;
    std::span<const std::byte> all_;
};

}  // namespace

ZipArchive::ZipArchive(const std::filesystem::path& path) : file_(path) {
    const DirectoryReader reader(path.string(), file_.bytes());
    const Directory directory = reader.directory();
    Fields fields = reader.at(directory.offset, directory.bytes);
    if (directory.files > directory.bytes / central_bytes)
        reader.refuse("its zip directory is garbled");
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    for (uint64_t i = 0; i < directory.files; ++i) {
        auto [name, bytes] = reader.entry(fields, directory, taken);
        if (!files_.emplace(name, bytes).second)
            reader.refuse("has the file " + in_quotes(name) + " twice");
    }
    std::ranges::sort(taken);
    for (size_t i = 1; i < taken.size(); ++i)
        if (taken[i].first < taken[i - 1].second) reader.refuse("two files in it overlap");
    file_.release({});  // throws if the file was truncated meanwhile
}

}  // namespace saccade
