#include "app/hub/model_pull.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "app/hub/model_finder.h"
#include "app/io/digest.h"
#include "gpu/core/files.h"
#include "models/files/checkpoint.h"
#include "models/files/is_there.h"
#include "models/files/json.h"
#include "models/files/mapped_file.h"
#include "models/files/pytorch.h"

namespace saccade {
namespace {

constexpr size_t files_at_a_time = 4;

// All files except the weights. Only these names are requested, whatever the Hub lists.
constexpr std::array<const char*, 10> small_files{
    "config.json",
    "preprocessor_config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "special_tokens_map.json",
    "added_tokens.json",
};

// Locks a blob while it is written, by the lock file that Hugging Face's libraries use.
class BlobLock {
public:
    BlobLock(const std::filesystem::path& path, const std::function<void()>& on_wait,
             const std::stop_token& stop)
        : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (fd_.get() < 0) throw Error(path.string() + ": cannot be made (" + reason(errno) + ")");
        for (bool told = false; ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0; told = true) {
            if (!told) on_wait();
            if (stop.stop_requested()) throw Error("stopped");
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }

private:
    Descriptor fd_;  // closing it unlocks
};

void make_cache_folder(const std::filesystem::path& folder) {
    try {
        make_folder(folder);
    } catch (const Error& error) {
        throw Error(std::string(error.what()) + "; HF_HOME sets where models are kept");
    }
}

// Makes a link atomically: beside its place, then renamed.
void put_link(const std::filesystem::path& path, const std::filesystem::path& target) {
    FileBeside link(path);
    std::error_code error;
    std::filesystem::remove(link.beside(), error);
    std::filesystem::create_symlink(target, link.beside(), error);
    if (error) refuse_write(path, error.value());
    link.finish();
}

// Whether a file matches its ETag: its SHA-256, or its SHA-1 as a git blob.
bool matches(const std::filesystem::path& path, const std::string& etag) {
    const uint64_t size = std::filesystem::file_size(path);
    const bool small = etag.size() == 40;  // SHA-1; HubClient only gives these two
    Digest digest = small ? Digest::sha1() : Digest::sha256();
    if (small) digest.update("blob " + std::to_string(size) + '\0');
    if (size > 0) {
        const MappedFile file(path);
        for (auto rest = file.bytes(); !rest.empty();) {
            const auto piece = rest.first(std::min<size_t>(rest.size(), 4 << 20));
            digest.update(piece);
            file.release(piece);
            rest = rest.subspan(piece.size());
        }
    }
    return hex(digest.finish()) == etag;
}

// Calls a function for each of `count` indices, a few in parallel. The first failure stops the
// others, and is thrown.
void in_parallel(size_t count, const std::function<void(size_t, std::stop_token)>& act) {
    std::atomic<size_t> next = 0;
    std::stop_source stop;
    std::exception_ptr first;
    std::mutex mutex;
    auto work = [&] {
        for (size_t i; !stop.stop_requested() && (i = next++) < count;) try {
                act(i, stop.get_token());
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!first) first = std::current_exception();
                stop.request_stop();
            }
    };
    {
        std::vector<std::jthread> workers;
        for (size_t i = 0; i < std::min(count, files_at_a_time); ++i) workers.emplace_back(work);
    }
    if (first) std::rethrow_exception(first);
}

// One pull of one commit.
class Pull {
public:
    Pull(const std::string& name, const std::string& commit, const HubCache& cache,
         const HubSettings& settings, TransferProgress& progress)
        : name_(name),
          commit_(commit),
          repository_(cache.repository(name)),
          locks_(cache.folder() / ".locks" / repository_.filename()),
          snapshot_(cache.snapshot(name, commit)),
          settings_(settings),
          progress_(progress) {
        for (const auto& folder : {repository_ / "blobs", snapshot_, locks_})
            make_cache_folder(folder);
    }

    const std::filesystem::path& snapshot() const { return snapshot_; }

    // Downloads these files of the commit into the snapshot.
    void fetch(const std::vector<std::string>& names) {
        std::vector<HubFile> files(names.size());
        in_parallel(names.size(), [&](size_t i, std::stop_token stop) {
            files[i] = HubClient(settings_, stop).file(name_, commit_, names[i]);
        });
        check_space(files);
        for (const HubFile& file : files) progress_.expect(file.bytes.value_or(0));
        in_parallel(files.size(), [&](size_t i, std::stop_token stop) { fetch(files[i], stop); });
    }

private:
    std::filesystem::path blob(const HubFile& file) const {
        return repository_ / "blobs" / file.etag;
    }
    std::filesystem::path incomplete(const HubFile& file) const {
        return blob(file).string() + ".incomplete";
    }

    void check_space(const std::vector<HubFile>& files) const {
        uint64_t missing = 0;
        for (const HubFile& file : files) {
            if (is_there(blob(file))) continue;
            std::error_code none;
            const uint64_t here = std::filesystem::file_size(incomplete(file), none);
            missing += file.bytes.value_or(0) - (none ? 0 : std::min(here, file.bytes.value_or(0)));
        }
        std::error_code unknown;
        const auto space = std::filesystem::space(repository_, unknown);
        if (!unknown && space.available < missing)
            throw Error(name_ + " needs " + size_text(missing) + ", but the disk of " +
                        repository_.parent_path().string() + " has " + size_text(space.available) +
                        " left; set HF_HOME to a folder on another disk");
    }

    void fetch(const HubFile& file, std::stop_token stop) {
        const BlobLock lock(
            locks_ / (file.etag + ".lock"),
            [&] { progress_.say("waiting for another download of " + file.name); }, stop);
        if (is_there(blob(file))) {
            progress_.had(file.bytes.value_or(0));
            progress_.advance(static_cast<int64_t>(file.bytes.value_or(0)));
        } else {
            progress_.say("fetching " + file.name +
                          (file.bytes ? ", " + size_text(*file.bytes) : ""));
            download(file, stop);
            put_in_place(incomplete(file), blob(file), Sync::yes);
        }
        put_link(snapshot_ / file.name, "../../blobs/" + file.etag);
    }

    // Downloads and checks a file. If its checksum is wrong, a partial file of an earlier pull may
    // be to blame, so the whole file is downloaded again, once.
    void download(const HubFile& file, std::stop_token stop) {
        const std::filesystem::path path = incomplete(file);
        for (bool again = is_there(path);; again = false) {
            if (again) progress_.had(std::filesystem::file_size(path));
            HubClient(settings_, stop).fetch(file, path, [&](int64_t change) {
                progress_.advance(change);
            });
            if (matches(path, file.etag)) return;
            progress_.advance(-static_cast<int64_t>(std::filesystem::file_size(path)));
            std::filesystem::remove(path);
            if (!again)
                throw Error(file.name + " of " + name_ +
                            " has a wrong checksum; it was deleted, try again");
        }
    }

    std::string name_, commit_;
    std::filesystem::path repository_, locks_, snapshot_;
    const HubSettings& settings_;
    TransferProgress& progress_;
};

enum class Weights { none, safetensors, safetensors_shards, pickle, pickle_shards };

Weights weights_of(const HubRevision& revision) {
    auto has = [&](const char* name) { return revision.files.contains(name); };
    return has("model.safetensors")              ? Weights::safetensors
           : has("model.safetensors.index.json") ? Weights::safetensors_shards
           : has("pytorch_model.bin")            ? Weights::pickle
           : has("pytorch_model.bin.index.json") ? Weights::pickle_shards
                                                 : Weights::none;
}

bool is_pickle(Weights weights) {
    return weights == Weights::pickle || weights == Weights::pickle_shards;
}

// The revision to download, and the Hub's list of its files.
std::pair<std::string, HubRevision> choose(const HubModel& model, HubClient& hub) {
    const std::string wanted = model.revision.value_or("main");
    HubRevision revision = hub.revision(model.name, wanted);
    const CatalogueModel* const known = find_in_catalogue(model.name);
    if (model.revision || !is_pickle(weights_of(revision)) || !known || !known->revision)
        return {wanted, std::move(revision)};
    try {
        HubRevision other = hub.revision(model.name, *known->revision);
        if (!is_pickle(weights_of(other))) return {*known->revision, std::move(other)};
    } catch (const Error&) {
        // The catalogue's revision is gone; main still has the pickle.
    }
    return {wanted, std::move(revision)};
}

// The files of a model's weights. The names of shards come from the index, which is downloaded
// first.
std::vector<std::string> weight_files(const HubRevision& revision, Pull& pull) {
    const Weights weights = weights_of(revision);
    if (weights == Weights::safetensors) return {"model.safetensors"};
    if (weights == Weights::pickle) return {"pytorch_model.bin"};
    const std::string index = weights == Weights::pickle_shards ? "pytorch_model.bin.index.json"
                                                                : "model.safetensors.index.json";
    const std::string ending = weights == Weights::pickle_shards ? ".bin" : ".safetensors";
    pull.fetch({index});
    std::set<std::string> files;
    for (const auto& [tensor, file] : read_shard_index(pull.snapshot() / index)) {
        if (!file.ends_with(ending) || !revision.files.contains(file))
            throw Error(index + " names " + in_quotes(file) + ", which the model does not have");
        files.insert(file);
    }
    return {files.begin(), files.end()};
}

}  // namespace

std::filesystem::path pull_model(const HubModel& model, const HubCache& cache,
                                 const HubSettings& settings, TransferProgress& progress) {
    HubClient hub(settings);
    const auto [revision, content] = choose(model, hub);
    const Weights weights = weights_of(content);
    if (!content.files.contains("config.json") || weights == Weights::none)
        throw Error(
            model.text() +
            " is not a transformers model: it has no config.json, or no model.safetensors or "
            "pytorch_model.bin");
    Pull pull(model.name, content.commit, cache, settings, progress);
    pull.fetch({"config.json"});
    family_of(pull.snapshot());  // fails for unsupported models before the weights are downloaded

    std::vector<std::string> files = weight_files(content, pull);
    for (const char* name : small_files)
        if (content.files.contains(name)) files.emplace_back(name);
    pull.fetch(files);
    if (is_pickle(weights) && !is_there(pull.snapshot() / converted_weights)) {
        progress.say("converting to safetensors");
        convert_pytorch(pull.snapshot());
    }
    if (revision != content.commit) {
        const std::filesystem::path reference = cache.reference(model.name, revision);
        make_cache_folder(reference.parent_path());
        NewFile file(reference);
        file.write(content.commit);
        file.finish();
    }
    return pull.snapshot();
}

}  // namespace saccade
