#include "models/files/pytorch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gpu/core/error.h"
#include "models/files/checkpoint.h"
#include "models/files/json.h"
#include "models/files/pickle.h"

namespace saccade {
namespace {

using Kind = PickleValue::Kind;

constexpr uint64_t most_pickle_bytes = 4 << 20;  // ten thousand tensors need half of this
constexpr uint64_t most_sharing = 8;             // tied weights share a storage
constexpr size_t most_dimensions = 16;

struct StorageType {
    std::string_view name;
    StoredType type;
};
constexpr std::array storage_types{
    StorageType{"torch.FloatStorage", StoredType::f32},
    StorageType{"torch.HalfStorage", StoredType::f16},
    StorageType{"torch.BFloat16Storage", StoredType::bf16},
    StorageType{"torch.DoubleStorage", StoredType::f64},
    StorageType{"torch.LongStorage", StoredType::i64},
    StorageType{"torch.IntStorage", StoredType::i32},
    StorageType{"torch.ShortStorage", StoredType::i16},
    StorageType{"torch.CharStorage", StoredType::i8},
    StorageType{"torch.ByteStorage", StoredType::u8},
    StorageType{"torch.BoolStorage", StoredType::bool_},
};

constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2",
                           rebuild_parameter = "torch._utils._rebuild_parameter";

std::vector<std::string_view> allowed_globals() {
    std::vector<std::string_view> names{"collections.OrderedDict", rebuild_tensor,
                                        rebuild_parameter};
    for (const StorageType& storage : storage_types) names.push_back(storage.name);
    return names;
}

// A tensor as described by the pickle.
struct Described {
    StoredTensor tensor;
    std::span<const std::byte> storage;  // from its first element on
    std::vector<uint64_t> strides;       // empty: contiguous
};

// Extracts the tensors from a pickle's values, which are untrusted.
class TensorReader {
public:
    TensorReader(const ZipArchive& archive, std::string where) : archive_(archive), where_(where) {
        // All files of the archive are in one folder of any name.
        for (const auto& [name, bytes] : archive.files()) {
            if (!name.ends_with("/data.pkl")) continue;
            if (!folder_.empty()) refuse("has data.pkl more than once");
            folder_ = name.substr(0, name.size() - std::string_view("data.pkl").size());
        }
        if (folder_.empty()) refuse("has no data.pkl");
        const auto order = archive.files().find(folder_ + "byteorder");
        if (order != archive.files().end()) {
            const auto bytes = order->second;
            const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            if (text != "little") refuse("is not little-endian");
        }
        const auto bytes = archive.files().at(folder_ + "data.pkl");
        if (bytes.size() > most_pickle_bytes)
            refuse("has a pickle of " + std::to_string(bytes.size()) + " bytes");
        pickle_ = read_pickle(bytes, allowed_globals(), where_);
    }

    std::vector<Described> tensors() {
        const PickleValue& root = value(pickle_.root);
        if (root.kind != Kind::dictionary)
            refuse(std::string("holds ") + name_of(root.kind) + ", not a dictionary of tensors");
        std::map<std::string, Described> found;
        uint64_t total = 0;
        for (size_t i = 0; i < root.items.size(); i += 2) {
            const PickleValue& key = value(root.items[i]);
            if (key.kind != Kind::text || !is_tensor_name(key.text))
                refuse("has an entry whose name is " + (key.kind == Kind::text
                                                            ? in_quotes(key.text)
                                                            : std::string(name_of(key.kind))));
            name_ = key.text;
            Described described = tensor(value(root.items[i + 1]));
            total += described.tensor.elements() * size_of(described.tensor.type);
            if (total > most_sharing * archive_.bytes())
                refuse("has more in its tensors than in its storages");
            described.tensor.name = name_;
            if (!found.emplace(name_, std::move(described)).second)
                refuse("has tensor " + in_quotes(name_) + " twice");
        }
        std::vector<Described> all;
        for (auto& [name, described] : found) all.push_back(std::move(described));
        return all;
    }

private:
    // Names of modules and parameters, with dots between.
    static bool is_tensor_name(std::string_view name) {
        return !name.empty() && name != "__metadata__" &&
               std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    }

    const PickleValue& value(uint32_t index) const { return pickle_.values[index]; }

    [[noreturn]] void refuse(const std::string& problem) const {
        throw Error(where_ + ": " + problem + "; it is not a plain PyTorch checkpoint");
    }
    [[noreturn]] void refuse_tensor(const std::string& problem) const {
        refuse("entry " + in_quotes(name_) + " " + problem);
    }

    // The arguments, at least `least`, of a call of `function`; nullptr for other values.
    const PickleValue* arguments(const PickleValue& call, std::string_view function,
                                 size_t least) const {
        if (call.kind != Kind::call || value(call.items[0]).text != function) return nullptr;
        const PickleValue& arguments = value(call.items[1]);
        if (arguments.items.size() < least) refuse_tensor("is a tensor with too few arguments");
        return &arguments;
    }

    Described tensor(const PickleValue& given) const {
        if (const PickleValue* parameter = arguments(given, rebuild_parameter, 1)) {
            const PickleValue& inner = value(parameter->items[0]);
            if (const PickleValue* parts = arguments(inner, rebuild_tensor, 4))
                return described(*parts);
        } else if (const PickleValue* parts = arguments(given, rebuild_tensor, 4)) {
            return described(*parts);
        }
        refuse_tensor(std::string("is ") + name_of(given.kind) + ", not a tensor");
    }

    // storage, offset, shape, strides, and fields for training only
    Described described(const PickleValue& parts) const {
        const auto [type, storage] = this->storage(value(parts.items[0]));
        const uint64_t offset = whole(value(parts.items[1]));
        const std::vector<uint64_t> shape = wholes(value(parts.items[2]));
        std::vector<uint64_t> strides = wholes(value(parts.items[3]));
        if (shape.size() != strides.size() || shape.size() > most_dimensions)
            refuse_tensor("has a shape of " + std::to_string(shape.size()) + " and strides of " +
                          std::to_string(strides.size()) + " numbers");

        Described result{{.name = name_, .type = type, .shape = shape, .bytes = {}}, {}, {}};
        const uint64_t elements = result.tensor.elements(), held = storage.size() / size_of(type);
        if (elements == 0) return result;
        uint64_t last = offset;  // the furthest element
        bool overflow = false;
        for (size_t i = 0; i < shape.size(); ++i) {
            uint64_t reach;
            overflow |= __builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
                        __builtin_add_overflow(last, reach, &last);
        }
        if (overflow || last >= held || elements > held)
            refuse_tensor("of shape " + shape_text(shape) + " reaches beyond its storage of " +
                          std::to_string(held) + " elements");
        result.storage = storage.subspan(offset * size_of(type));
        if (!in_one_piece(shape, strides)) result.strides = std::move(strides);
        return result;
    }

    std::pair<StoredType, std::span<const std::byte>> storage(const PickleValue& given) const {
        // ("storage", class, file name, device, number of elements)
        const PickleValue* id = given.kind == Kind::persistent ? &value(given.items[0]) : nullptr;
        if (!id || id->kind != Kind::tuple || id->items.size() != 5 ||
            value(id->items[0]).text != "storage")
            refuse_tensor("has no storage");
        const PickleValue& type_name = value(id->items[1]);
        const auto type = std::ranges::find(storage_types, type_name.text, &StorageType::name);
        if (type_name.kind != Kind::global || type == storage_types.end())
            refuse_tensor("has a storage of no known type");
        const std::string file = folder_ + "data/" + value(id->items[2]).text;
        const auto found = archive_.files().find(file);
        if (found == archive_.files().end()) refuse_tensor("has no file " + in_quotes(file));
        uint64_t bytes;
        if (__builtin_mul_overflow(whole(value(id->items[4])), size_of(type->type), &bytes) ||
            bytes != found->second.size())
            refuse_tensor("has a storage that is not as long as it should be");
        return {type->type, found->second};
    }

    uint64_t whole(const PickleValue& given) const {
        if (given.kind != Kind::whole || given.whole < 0)
            refuse_tensor("has something else where a whole number should be");
        return static_cast<uint64_t>(given.whole);
    }

    std::vector<uint64_t> wholes(const PickleValue& given) const {
        if (given.kind != Kind::tuple) refuse_tensor("has something else where a shape should be");
        std::vector<uint64_t> numbers;
        for (uint32_t item : given.items) numbers.push_back(whole(value(item)));
        return numbers;
    }

    static bool in_one_piece(const std::vector<uint64_t>& shape,
                             const std::vector<uint64_t>& strides) {
        uint64_t next = 1;
        for (size_t i = shape.size(); i-- > 0; next *= shape[i])
            if (shape[i] != 1 && strides[i] != next) return false;
        return true;
    }

    const ZipArchive& archive_;
    std::string where_;
    std::string folder_;  // in the archive, with its slash
    Pickle pickle_;
    std::string name_;  // of the tensor that is being read
};

// Copies the elements of a strided tensor into contiguous memory.
std::vector<std::byte> gather(const StoredTensor& tensor, std::span<const std::byte> storage,
                              const std::vector<uint64_t>& strides) {
    const uint64_t size = size_of(tensor.type), count = tensor.elements();
    std::vector<std::byte> bytes(count * size);
    std::vector<uint64_t> index(tensor.shape.size());
    uint64_t from = 0;
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(bytes.data() + i * size, storage.data() + from * size, size);
        for (size_t d = index.size(); d-- > 0;) {  // next index, last dimension fastest
            from += strides[d];
            if (++index[d] < tensor.shape[d]) break;
            from -= strides[d] * tensor.shape[d];
            index[d] = 0;
        }
    }
    return bytes;
}

std::vector<std::filesystem::path> pickles_in(const std::filesystem::path& folder) {
    const auto index = folder / "pytorch_model.bin.index.json";
    if (std::filesystem::exists(folder / "pytorch_model.bin") || !std::filesystem::exists(index))
        return {folder / "pytorch_model.bin"};
    std::set<std::filesystem::path> files;
    for (const auto& [tensor, file] : read_shard_index(index)) files.insert(folder / file);
    return {files.begin(), files.end()};
}

}  // namespace

PyTorchFile::PyTorchFile(const std::filesystem::path& path) : archive_(path) {
    for (Described& described : TensorReader(archive_, path.string()).tensors()) {
        tensors_.push_back(std::move(described.tensor));
        layouts_.push_back({described.storage, std::move(described.strides)});
    }
}

std::span<const std::byte> PyTorchFile::bytes_of(size_t index) {
    archive_.release(last_read_);
    const StoredTensor& tensor = tensors_[index];
    const Layout& layout = layouts_[index];
    const uint64_t size = tensor.elements() * size_of(tensor.type);
    gathered_.clear();
    if (layout.strides.empty()) return last_read_ = layout.storage.first(size);
    last_read_ = layout.storage;
    gathered_ = gather(tensor, layout.storage, layout.strides);
    archive_.release({});  // throws if the file was truncated meanwhile
    return gathered_;
}

void convert_pytorch(const std::filesystem::path& folder) {
    std::deque<PyTorchFile> files;
    struct Place {
        PyTorchFile* file;
        size_t index;
    };
    std::map<std::string, Place> places;
    for (const auto& path : pickles_in(folder)) {
        PyTorchFile& file = files.emplace_back(path);
        for (size_t i = 0; i < file.tensors().size(); ++i)
            if (!places.emplace(file.tensors()[i].name, Place{&file, i}).second)
                throw Error(path.string() + ": tensor " + in_quotes(file.tensors()[i].name) +
                            " is also in another file");
    }
    std::vector<StoredTensor> tensors;
    for (const auto& [name, place] : places) tensors.push_back(place.file->tensors()[place.index]);
    write_safetensors(folder / converted_weights, tensors, [&](const StoredTensor& tensor) {
        const Place& place = places.at(tensor.name);
        return place.file->bytes_of(place.index);
    });
}

}  // namespace saccade
