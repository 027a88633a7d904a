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

// Called while a model is loaded, with the fraction of its weights that has been read, 0 to 1.
using LoadProgress = std::function<void(float part)>;

// A source of weights: the files of a folder, or the generator of synthetic.h. Names are those of
// transformers v4, as in the Hub's files; tensors under their v5 names are found, too.
class WeightSource {
public:
    virtual ~WeightSource() = default;

    // The tensor, or nullopt if there is none of that name. A file ignores `shape`; a generator
    // makes a tensor of this shape. The bytes are valid until released.
    virtual std::optional<StoredTensor> find(std::string_view name,
                                             std::span<const uint64_t> shape) = 0;

    // Releases the memory of these bytes of a tensor after they have been read. A large tensor may
    // be released piece by piece, from front to end.
    virtual void release(std::span<const std::byte> bytes) = 0;

    // The file that has the tensor, or else the folder, for errors.
    virtual std::string where(std::string_view name) const = 0;

    // Elements of all tensors together; 0 if unknown.
    virtual uint64_t elements() const = 0;

    // Names of the tensors that have not been requested, sorted.
    virtual std::vector<std::string> unused() const = 0;

    // For loaders. A missing tensor, one of another shape, and one that is not F32, F16 or BF16 are
    // Errors that name the tensor and the file.
    StoredTensor required(std::string_view name, const std::vector<uint64_t>& shape);
    std::optional<StoredTensor> optional(std::string_view name, const std::vector<uint64_t>& shape);

    void on_progress(LoadProgress progress) { progress_ = std::move(progress); }

private:
    LoadProgress progress_;
    uint64_t requested_ = 0;  // elements
};

// The path of a model folder's config.json; an Error if there is none.
std::filesystem::path config_in(const std::filesystem::path& folder);

// How a model folder stores its weights, judged by file names only.
enum class StoredWeights { none, pickle, safetensors };
StoredWeights weights_in(const std::filesystem::path& folder);

// Tensor name -> file name, from an index of shards.
std::map<std::string, std::string> read_shard_index(const std::filesystem::path& index);

// The file that a pickle's tensors are converted to, in the same folder. The name differs from
// Hugging Face's, so that a cache folder has only the Hub's own files under the Hub's names.
constexpr std::string_view converted_weights = "saccade.safetensors";

// A Hugging Face model folder: model.safetensors, the shards that model.safetensors.index.json
// lists, or converted_weights.
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
    std::vector<const StoredTensor*> tensors() const;  // sorted by name
    uint64_t bytes() const;                            // of all tensors

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

// Other names of a tensor: transformers v5's, then mixtures of v4's and v5's, for partly renamed
// files.
std::vector<std::string> aliases(std::string_view v4_name);

}  // namespace saccade
