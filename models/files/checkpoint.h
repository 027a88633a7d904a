#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/safetensors.h"

namespace saccade {

// Hears, while a model is loaded, what part of its weights has been asked for: 0 to 1.
using LoadProgress = std::function<void(float part)>;

// Where a model's weights come from: the files of a folder, or the generator of synthetic.h. Names
// are those of transformers v4, which the Hub's files carry; a source that has a tensor under its
// v5 name finds it too.
class WeightSource {
public:
    virtual ~WeightSource() = default;

    // The tensor, or nullopt when the source has none of that name. The source may ignore `shape`:
    // a file holds what it holds. Bytes stay valid until released.
    virtual std::optional<StoredTensor> find(std::string_view name,
                                             std::span<const uint64_t> shape) = 0;

    // Says that these bytes of a tensor have been read and their memory may go. A large tensor may
    // be released piece by piece, from its front to its end.
    virtual void release(std::span<const std::byte> bytes) = 0;

    // The file that holds the tensor, or the folder where it should be, for errors.
    virtual std::string where(std::string_view name) const = 0;

    // Elements of all its tensors together, 0 when the source cannot know.
    virtual uint64_t elements() const = 0;

    // Names of tensors that nobody asked for, sorted.
    virtual std::vector<std::string> unused() const = 0;

    // What a loader calls. A missing tensor, one of another shape, and one that does not hold F32,
    // F16 or BF16 are Errors that name the tensor and the file.
    StoredTensor required(std::string_view name, const std::vector<uint64_t>& shape);
    std::optional<StoredTensor> optional(std::string_view name, const std::vector<uint64_t>& shape);

    void tell(LoadProgress progress) { progress_ = std::move(progress); }

private:
    LoadProgress progress_;
    uint64_t asked_for_ = 0;  // elements
};

// A model folder's config.json; a folder without one is an Error.
std::filesystem::path config_in(const std::filesystem::path& folder);

// How a model folder stores its weights; nothing is read for it.
enum class StoredWeights { none, pickle, safetensors };
StoredWeights weights_in(const std::filesystem::path& folder);

// Which file of the folder has which tensor: name -> file, as an index of shards says.
std::map<std::string, std::string> read_shard_index(const std::filesystem::path& index);

// The file that a pickle's tensors are written to, beside it. The name is not one of Hugging
// Face's, so that a folder of its cache holds only the Hub's files under their names.
constexpr std::string_view converted_weights = "saccade.safetensors";

// A Hugging Face model folder: model.safetensors, the shards that model.safetensors.index.json
// lists, or what was made of a pickle.
class Checkpoint : public WeightSource {
public:
    explicit Checkpoint(const std::filesystem::path& folder);

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape = {}) override;
    void release(std::span<const std::byte> bytes) override;
    std::string where(std::string_view name) const override;
    uint64_t elements() const override;
    std::vector<std::string> unused() const override;

    const std::filesystem::path& folder() const { return folder_; }
    std::vector<const StoredTensor*> tensors() const;  // by name
    uint64_t bytes() const;                            // of all of them

private:
    struct Place {
        const StoredTensor* tensor;
        size_t file;  // index into files_
    };

    void open_shards(const std::filesystem::path& index);
    const Place* locate(std::string_view name) const;

    std::filesystem::path folder_;
    std::vector<SafetensorsFile> files_;
    std::map<std::string, Place, std::less<>> places_;  // points into files_
    std::set<const StoredTensor*> used_;
};

// The other names under which a tensor may be stored: what transformers v5 renamed it to, then
// mixtures of both, for files renamed in part.
std::vector<std::string> aliases(std::string_view v4_name);

}  // namespace saccade
