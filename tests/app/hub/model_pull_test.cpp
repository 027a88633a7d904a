// Downloads from a Hub that works, and from one that misbehaves.

#include "app/hub/model_pull.h"

#include <atomic>
#include <fstream>
#include <iterator>

#include "app/hub/model_finder.h"
#include "models/files/json.h"
#include "models/files/pytorch.h"
#include "tests/app/hub/golden_files.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"
#include "tests/models/files/torch_files.h"
#include "tests/places.h"

namespace saccade {
namespace {

using std::filesystem::path;

const HubServer::Files& nano() {
    static const HubServer::Files files = golden_files("vit-nano");
    return files;
}

std::string pickle_of_nano() {
    const TempFolder temp;
    const SafetensorsFile file(temp.write("x", nano().at("model.safetensors")));
    return torch_file(file.tensors());
}

class ModelPull : public ::testing::Test {
protected:
    ModelPull() {
        settings.endpoint = server.url();
        settings.token = "hf_secret";
        settings.first_backoff = std::chrono::milliseconds(1);
        settings.stall_timeout = std::chrono::seconds(1);
    }
    path pull(const std::string& name = "some/vit") {
        TransferProgress progress(name, TransferProgress::Style::none);
        return pull_model(*HubModel::parse(name), cache, settings, progress);
    }
    // The pull must end in this one line, and leave no file where a reader would look for one.
    std::string refusal(const std::string& name = "some/vit") {
        const std::string error = error_of([&] { pull(name); });
        for (const std::string& found : outside()) EXPECT_EQ(found, "hub");
        EXPECT_FALSE(std::filesystem::exists(cache.reference("some/vit", "main")));
        return error;
    }
    // All files outside of the cache.
    std::vector<std::string> outside() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(temp.path()))
            names.push_back(entry.path().filename());
        return names;
    }
    void expect_pulled(const path& folder, const std::string& name,
                       const HubServer::Files& files = nano()) const {
        EXPECT_EQ(bytes_in(folder / name), files.at(name)) << name;
        const path link = std::filesystem::read_symlink(folder / name);
        EXPECT_EQ(link, "../../blobs/" + HubServer::etag(name, files.at(name)));
    }
    void expect_all_pulled(const path& folder) const {
        for (const auto& [name, content] : nano()) expect_pulled(folder, name);
        EXPECT_EQ(leftovers(), 0u);
    }
    size_t leftovers() const {
        size_t found = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(temp.path())) {
            const std::string name = entry.path().filename();
            found += name.ends_with(".incomplete") || name.find("-part-") != name.npos;
        }
        return found;
    }
    // Alters the next `times` responses for the weights, and no others.
    void spoil_weights(int times, std::function<void(const WebRequest&, WebAnswer&)> how) {
        server.meddle([how, left = std::make_shared<std::atomic<int>>(times)](
                          const WebRequest& request, WebAnswer& response) {
            if (request.method == "GET" && request.path.ends_with("/model.safetensors") &&
                response.status != 302 && (*left)-- > 0)
                how(request, response);
        });
    }

    TempFolder temp;
    const HubCache cache{temp / "hub"};
    PiecePermits permits;  // before the server, which uses them
    HubServer server{"some/vit"};
    HubSettings settings;
    const std::string commit = server.add("main", nano());
};

TEST_F(ModelPull, the_model_is_there_in_the_hubs_own_layout) {
    const path folder = pull();
    EXPECT_EQ(folder, cache.snapshot("some/vit", commit));
    expect_all_pulled(folder);
    EXPECT_EQ(bytes_in(cache.repository("some/vit") / "refs" / "main"), commit);
    EXPECT_EQ(find_model("some/vit", {{}, cache}), folder);
    EXPECT_EQ(Checkpoint(folder).tensors().size(),
              read_manifest(golden_folder() / "vit-nano" / "weights.json").tensors.size());
    EXPECT_EQ(outside(), std::vector<std::string>{"hub"});
}

TEST_F(ModelPull, what_the_model_does_not_need_is_not_asked_for) {
    HubServer::Files files = nano();
    for (const char* name : {"README.md", "tf_model.h5", "pytorch_model.bin", "flax_model.msgpack",
                             "run.py", "onnx/model.onnx", "config.json.bak"})
        files[name] = "no";
    files["vocab.txt"] = "a\nb\n";
    server.add("main", files);
    const path folder = pull();
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 4);
    expect_pulled(folder, "vocab.txt", files);
    for (const char* name : {"README.md", ".h5", ".bin", ".msgpack", ".py", ".onnx", ".bak"})
        EXPECT_EQ(server.count("GET", name) + server.count("HEAD", name), 0u) << name;
}

TEST_F(ModelPull, what_is_here_is_not_fetched_again) {
    pull();
    server.hub().forget();
    server.store().forget();
    expect_all_pulled(pull());
    EXPECT_EQ(server.store().requests().size(), 0u);
    EXPECT_EQ(server.count("GET", ".json"), 0u);
    // A broken link is made again.
    const path config = cache.snapshot("some/vit", commit) / "config.json";
    std::filesystem::remove(config);
    expect_all_pulled(pull());
}

TEST_F(ModelPull, revisions_are_kept_apart) {
    HubServer::Files files = nano();
    files["config.json"] += " ";
    const std::string other = server.add("refs/pr/7", files);
    const path main = pull(), request = pull("some/vit@refs/pr/7");
    EXPECT_EQ(request, cache.snapshot("some/vit", other));
    EXPECT_NE(main, request);
    expect_pulled(request, "config.json", files);
    EXPECT_EQ(bytes_in(cache.repository("some/vit") / "refs/refs/pr/7"), other);
    EXPECT_EQ(server.count("GET", "/model.safetensors"), 2u) << "redirect and content, once";
    // A commit is its own name, and needs no reference.
    EXPECT_EQ(pull("some/vit@" + commit), main);
    EXPECT_FALSE(std::filesystem::exists(cache.reference("some/vit", commit)));
}

TEST_F(ModelPull, a_download_that_is_cut_off_goes_on_where_it_was) {
    spoil_weights(2, [](const WebRequest&, WebAnswer& response) { response.cut = 1000; });
    expect_all_pulled(pull());
    std::vector<std::string> ranges;
    for (const WebRequest& request : server.store().requests())
        ranges.push_back(request.header("range"));
    EXPECT_EQ(ranges, (std::vector<std::string>{"", "bytes=1000-", "bytes=2000-"}));
}

TEST_F(ModelPull, a_server_without_ranges_is_asked_for_all_of_it) {
    spoil_weights(2, [](const WebRequest& request, WebAnswer& response) {
        if (request.header("range").empty())
            response.cut = 1000;
        else
            response = {.body = nano().at("model.safetensors")};
    });
    expect_all_pulled(pull());
    EXPECT_EQ(server.store().requests().size(), 2u);
}

TEST_F(ModelPull, a_range_that_begins_elsewhere_replaces_what_is_here) {
    spoil_weights(2, [](const WebRequest& request, WebAnswer& response) {
        const std::string& all = nano().at("model.safetensors");
        if (request.header("range").empty())
            response.cut = 1000;
        else
            response = {.status = 206,
                        .headers = {{"Content-Range", "bytes 0-" + std::to_string(all.size() - 1) +
                                                          "/" + std::to_string(all.size())}},
                        .body = all};
    });
    expect_all_pulled(pull());
    EXPECT_EQ(server.store().requests().size(), 2u);
}

TEST_F(ModelPull, a_server_that_always_cuts_off_at_the_same_place_is_given_up) {
    spoil_weights(100, [](const WebRequest&, WebAnswer& response) {
        response = {.body = nano().at("model.safetensors"), .cut = 1000};
    });
    expect_says(refusal(), "pull again to continue");
    EXPECT_EQ(leftovers(), 1u);
    EXPECT_THROW(find_model("some/vit", {{}, cache}), Error) << "it is not whole";
    server.meddle(nullptr);
    server.store().forget();
    expect_all_pulled(pull());
    EXPECT_EQ(server.store().requests().at(0).header("range"), "bytes=1000-");
}

TEST_F(ModelPull, wrong_content_is_thrown_away) {
    spoil_weights(100, [](const WebRequest&, WebAnswer& response) { response.body[500] ^= 1; });
    // Partial files may stay: the next pull continues them.
    auto expect_none_of = [&](const char* name) {
        const path blob =
            cache.repository("some/vit") / "blobs" / HubServer::etag(name, nano().at(name));
        EXPECT_FALSE(std::filesystem::exists(blob));
        EXPECT_FALSE(std::filesystem::exists(blob.string() + ".incomplete"));
    };
    expect_says(refusal(), "wrong checksum");
    expect_none_of("model.safetensors");
    EXPECT_FALSE(std::filesystem::exists(cache.snapshot("some/vit", commit) / "model.safetensors"));
    std::filesystem::remove_all(cache.folder());
    server.meddle([](const WebRequest& request, WebAnswer& response) {  // a small file, by SHA-1
        if (request.method == "GET" && request.path.ends_with("/preprocessor_config.json"))
            response.body[3] ^= 1;
    });
    expect_says(refusal(), "preprocessor_config.json of some/vit has a wrong checksum");
    expect_none_of("preprocessor_config.json");
    server.meddle(nullptr);
    expect_all_pulled(pull());
}

TEST_F(ModelPull, a_bad_beginning_from_an_earlier_time_is_fetched_anew) {
    const std::string& weights = nano().at("model.safetensors");
    const path blobs = cache.repository("some/vit") / "blobs";
    std::filesystem::create_directories(blobs);
    const path incomplete = blobs / (HubServer::etag("model.safetensors", weights) + ".incomplete");
    for (const std::string& beginning :
         {std::string(777, 'x'), std::string(weights.size(), 'x'), weights + "more"}) {
        std::ofstream(incomplete, std::ios::binary) << beginning;
        expect_all_pulled(pull());
        std::filesystem::remove_all(cache.folder());
        std::filesystem::create_directories(blobs);
    }
}

TEST_F(ModelPull, more_than_was_said_is_refused) {
    spoil_weights(100, [](const WebRequest&, WebAnswer& response) { response.body += "more"; });
    expect_says(refusal(), "sends more than");
}

TEST_F(ModelPull, a_page_of_refusal_without_an_end_is_left) {
    server.meddle([](const WebRequest&, WebAnswer& response) {
        response = {
            .status = 404, .body = std::string(1 << 16, 'x'), .unannounced = true, .endless = true};
    });
    expect_says(refusal(), "not found at the Hub");
}

TEST_F(ModelPull, a_file_without_a_length_has_an_end) {
    server.meddle([](const WebRequest& request, WebAnswer& response) {
        if (!request.path.ends_with("config.json")) return;
        response.unannounced = true;
        if (request.method != "GET") return;
        response.body = std::string(1 << 20, 'x');
        response.endless = true;
    });
    expect_says(refusal(), "sends more than 67108864 bytes without announcing how many");
    for (const auto& left : std::filesystem::recursive_directory_iterator(cache.folder())) {
        if (!left.is_regular_file()) continue;
        EXPECT_EQ(left.file_size(), 0u) << left.path();
    }
}

TEST_F(ModelPull, a_server_that_sends_byte_by_byte_is_given_up) {
    settings.attempts = 2;
    spoil_weights(100, [](const WebRequest&, WebAnswer& response) {
        response.between_bytes = std::chrono::milliseconds(400);
    });
    const auto begin = std::chrono::steady_clock::now();
    expect_says(refusal(), "pull again to continue");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(12));
}

TEST_F(ModelPull, the_token_goes_to_the_hub_and_to_nobody_else) {
    expect_all_pulled(pull());
    for (const WebRequest& request : server.hub().requests())
        EXPECT_EQ(request.header("authorization"), "Bearer hf_secret") << request.path;
    EXPECT_GT(server.store().requests().size(), 0u);
    for (const WebRequest& request : server.store().requests())
        EXPECT_EQ(request.header("authorization"), "") << request.path;
    settings.token = "two\r\nlines";
    EXPECT_THROW(HubClient{settings}, Error);
}

TEST_F(ModelPull, redirects_that_lead_nowhere_end_in_one_line) {
    auto redirect = [&](const std::string& to) {
        server.meddle([to](const WebRequest& request, WebAnswer& response) {
            if (request.method == "GET" && request.path.find("/resolve/") != std::string::npos)
                response = {.status = 302, .headers = {{"Location", to}}};
        });
    };
    redirect(server.url() + "/some/vit/resolve/again");
    expect_says(refusal(), "redirects too often");
    redirect("file:///etc/passwd");
    refusal();
    redirect("");
    refusal();
    redirect("http://127.0.0.1:1/nobody");
    expect_says(refusal(), "127.0.0.1:1");
    EXPECT_EQ(leftovers(), 1u) << "an empty beginning of config.json";
}

TEST_F(ModelPull, a_model_that_was_renamed_is_followed) {
    server.meddle([&](const WebRequest& request, WebAnswer& response) {
        if (response.status == 404 && request.path.starts_with("/old/vit/"))
            response = {.status = 307, .headers = {{"Location", "/some" + request.path.substr(4)}}};
        if (response.status == 404 && request.path.starts_with("/api/models/old/"))
            response = {.status = 307,
                        .headers = {{"Location", "/api/models/some" + request.path.substr(15)}}};
    });
    EXPECT_EQ(bytes_in(pull("old/vit") / "config.json"), nano().at("config.json"));
}

TEST_F(ModelPull, what_the_hub_refuses_is_said_in_one_line) {
    auto answer_all = [&](WebAnswer with) {
        server.meddle([with](const WebRequest&, WebAnswer& response) { response = with; });
    };
    answer_all({.status = 401, .headers = {{"X-Error-Code", "GatedRepo"}}});
    expect_says(refusal(), "is gated; accept its terms");
    answer_all({.status = 401});
    expect_says(refusal(), "HF_TOKEN holds a token that may not read it");
    settings.token.clear();
    expect_says(refusal(), "set HF_TOKEN");
    answer_all({.status = 403});
    expect_says(refusal(), "set HF_TOKEN");
    answer_all({.status = 404, .headers = {{"X-Error-Code", "RepoNotFound"}}});
    expect_says(refusal(), "not found at the Hub (404 'RepoNotFound')");
    answer_all({.status = 418});
    expect_says(refusal(), "answers 418");
    answer_all({.body = "<html>log in to the hotel's network</html>"});
    expect_says(refusal(), server.url());
    answer_all({.body = R"({"sha": "abc", "siblings": []})"});
    expect_says(refusal(), "is not a commit");
    answer_all({.body = R"({"sha": ")" + std::string(40, 'a') + R"("})"});
    expect_says(refusal(), "is not a list of files");
    answer_all({.body = R"({"sha": ")" + std::string(40, 'a') + R"(", "siblings": []})"});
    expect_says(refusal(), "is not a transformers model");
    server.meddle(nullptr);
    expect_says(refusal("some/vit@nosuch"), "some/vit@nosuch: not found at the Hub");
    expect_says(refusal("other/model"), "other/model: not found at the Hub");
    settings.endpoint = "http://127.0.0.1:1";
    expect_says(refusal(), "127.0.0.1:1");
    settings.endpoint = "gopher://127.0.0.1";
    expect_says(refusal(), "gopher");
}

TEST_F(ModelPull, a_busy_hub_is_asked_again_when_it_says_so) {
    auto busy = std::make_shared<std::atomic<int>>(1);
    server.meddle([busy](const WebRequest&, WebAnswer& response) {
        if ((*busy)-- > 0) response = {.status = 429, .headers = {{"Retry-After", "1"}}};
    });
    const auto begin = std::chrono::steady_clock::now();
    expect_all_pulled(pull());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    // Longer than any back-off that is acceptable.
    server.meddle([](const WebRequest&, WebAnswer& response) {
        response = {.status = 429, .headers = {{"Retry-After", "86400"}}};
    });
    expect_says(error_of([&] { pull(); }), "try again later, in 86400 seconds");
}

TEST_F(ModelPull, failures_that_pass_are_waited_out_and_others_are_not) {
    auto failures = std::make_shared<std::atomic<int>>(4);
    auto fail = [failures](const WebRequest&, WebAnswer& response) {
        if ((*failures)-- > 0) response = {.status = 503};
    };
    server.meddle(fail);
    expect_all_pulled(pull());
    std::filesystem::remove_all(cache.folder());
    *failures = 5;
    expect_says(refusal(), "answers 503");
    // 404 is not retried.
    server.hub().forget();
    spoil_weights(100, [](const WebRequest&, WebAnswer& response) { response = {.status = 404}; });
    expect_says(refusal(), "model.safetensors: not found at the Hub");
    EXPECT_EQ(server.store().requests().size(), 2u) << "one above, one here";
}

TEST_F(ModelPull, a_server_that_falls_silent_is_left_and_asked_again) {
    spoil_weights(1, [&](const WebRequest&, WebAnswer& response) { permits.require(response, 1); });
    expect_all_pulled(pull());
    EXPECT_EQ(server.store().requests().size(), 2u) << "the first is never answered";
    permits.give(1);
}

TEST_F(ModelPull, names_that_lead_elsewhere_are_never_followed) {
    HubServer::Files files = nano();
    for (const std::string& name :
         {std::string("../../../evil"), std::string("/etc/evil"), std::string("..\\evil"),
          std::string("evil\0.json", 10), std::string(5000, 'e'),
          std::string("config.json/../evil"), std::string(".."), std::string(""),
          std::string("snapshots/evil.safetensors")})
        files[name] = "evil";
    server.add("main", files);
    const path folder = pull();
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
    EXPECT_EQ(outside(), std::vector<std::string>{"hub"});
    for (const WebRequest& request : server.hub().requests())
        EXPECT_EQ(request.path.find("evil"), std::string::npos) << request.path;
}

TEST_F(ModelPull, checksums_that_are_paths_are_refused) {
    for (const char* etag :
         {"../../../../evil", "/etc/evil", "", "x", ".", "a/b",
          "..%2f..%2fevil0000000000000000000000000000", "ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD",
          "d41d8cd98f00b204e9800998ecf8427e",  // MD5, which is not supported
          "d41d8cd98f00b204e9800998ecf8427e-12"}) {
        server.meddle([etag](const WebRequest& request, WebAnswer& response) {
            if (request.method == "HEAD") {
                response.headers["ETag"] = "\"" + std::string(etag) + "\"";
                response.headers.erase("X-Linked-Etag");
            }
        });
        expect_says(refusal(), "gives no checksum");
    }
}

TEST_F(ModelPull, checksums_that_a_proxy_calls_weak_are_taken) {
    server.meddle([](const WebRequest&, WebAnswer& response) {
        if (response.headers.contains("ETag") && !response.headers.contains("X-Linked-Etag"))
            response.headers["ETag"] = "W/" + response.headers["ETag"];
    });
    expect_all_pulled(pull());
}

TEST_F(ModelPull, endless_headers_are_refused) {
    settings.attempts = 1;
    server.meddle([](const WebRequest& request, WebAnswer& response) {
        if (request.method == "HEAD") response.headers["X-Long"] = std::string(70'000, 'x');
    });
    EXPECT_NE(refusal(), "");
}

TEST_F(ModelPull, another_commit_than_was_asked_for_is_refused) {
    server.meddle([](const WebRequest&, WebAnswer& response) {
        if (response.headers.contains("X-Repo-Commit")) response.headers["X-Repo-Commit"] = "other";
    });
    expect_says(refusal(), "offers that of commit 'other'");
}

TEST_F(ModelPull, shards_are_fetched_as_the_index_names_them) {
    HubServer::Files files = nano();
    files["model-00001-of-00001.safetensors"] = files["model.safetensors"];
    files["model-00002-of-00002.safetensors"] = "of another time";
    files.erase("model.safetensors");
    const TempFolder scratch;
    nlohmann::json map;
    const SafetensorsFile plain(scratch.write("x", nano().at("model.safetensors")));
    for (const StoredTensor& tensor : plain.tensors())
        map[tensor.name] = "model-00001-of-00001.safetensors";
    auto index = [&] { return nlohmann::json{{"weight_map", map}}.dump(); };
    files["model.safetensors.index.json"] = index();
    server.add("main", files);
    const path folder = pull();
    EXPECT_EQ(Checkpoint(folder).tensors().size(), map.size());
    EXPECT_EQ(server.count("HEAD", "model-00002-of-00002.safetensors"), 0u);

    for (const char* name : {"../evil.safetensors", "/etc/evil.safetensors", "evil.py",
                             "missing.safetensors", "a\\b.safetensors", "config.json"}) {
        std::filesystem::remove_all(cache.folder());
        map.begin().value() = name;
        files["model.safetensors.index.json"] = index();
        server.add("main", files);
        expect_says(refusal(), "safetensors.index.json");
    }
}

TEST_F(ModelPull, a_pickle_is_converted_beside_itself) {
    HubServer::Files files = nano();
    files["pytorch_model.bin"] = pickle_of_nano();
    files.erase("model.safetensors");
    server.add("main", files);
    const path folder = pull();
    expect_pulled(folder, "pytorch_model.bin", files);
    EXPECT_EQ(find_model("some/vit", {{}, cache}), folder);
    Checkpoint converted(folder);
    const TempFolder scratch;
    const SafetensorsFile plain(scratch.write("x", nano().at("model.safetensors")));
    for (const StoredTensor& want : plain.tensors())
        EXPECT_TRUE(
            std::ranges::equal(converted.required(want.name, want.shape).bytes, want.bytes));
    // A second pull has nothing left to do.
    const auto written = std::filesystem::last_write_time(folder / converted_weights);
    EXPECT_EQ(pull(), folder);
    EXPECT_EQ(std::filesystem::last_write_time(folder / converted_weights), written);
}

TEST_F(ModelPull, a_hostile_pickle_is_refused_by_name) {
    HubServer::Files files = nano();
    files["pytorch_model.bin"] = torch_file(
        "\x80\x02" + pickled::global("os", "system") + pickled::text("ls") + "\x85R.", {});
    files.erase("model.safetensors");
    server.add("main", files);
    expect_says(refusal(), "'os.system'");
    EXPECT_EQ(leftovers(), 0u);
}

TEST_F(ModelPull, the_catalogues_revision_is_taken_where_main_has_a_pickle) {
    const std::string name = "facebook/deit-small-patch16-224";
    HubServer hub(name);
    HubServer::Files files = nano();
    files["pytorch_model.bin"] = pickle_of_nano();
    files.erase("model.safetensors");
    const std::string main = hub.add("main", files);
    settings.endpoint = hub.url();
    EXPECT_EQ(pull(name), cache.snapshot(name, main)) << "the revision is gone";
    std::filesystem::remove_all(cache.folder());
    const std::string known = hub.add("refs/pr/4", nano());
    EXPECT_EQ(pull(name), cache.snapshot(name, known));
    EXPECT_EQ(find_model(name, {{}, cache}), cache.snapshot(name, known));
    EXPECT_EQ(pull(name + "@main"), cache.snapshot(name, main)) << "asked for by name";
}

TEST_F(ModelPull, models_that_are_not_run_are_refused_before_their_weights_are_fetched) {
    HubServer::Files files = nano();
    files["config.json"] = R"({"model_type": "bert"})";
    server.add("main", files);
    expect_says(refusal(), "'bert' is not supported");
    EXPECT_EQ(server.store().requests().size(), 0u);
}

TEST_F(ModelPull, two_at_once_fetch_it_once) {
    spoil_weights(1, [](const WebRequest&, WebAnswer& response) {
        response.delay = std::chrono::milliseconds(300);
    });
    {
        std::jthread other([&] { pull(); });
        pull();
    }
    expect_all_pulled(cache.snapshot("some/vit", commit));
    EXPECT_EQ(server.store().requests().size(), 1u);
}

TEST_F(ModelPull, a_cache_that_cannot_be_written_gets_one_line) {
    temp.write("hub", "a file in its place");
    expect_says(error_of([&] { pull(); }), "cannot be made");
}

// `saccade models pull` as started from a shell.
class ModelsProgram : public ModelPull {
protected:
    const Variable endpoint{"HF_ENDPOINT", server.url().c_str()},
        hub{"HF_HUB_CACHE", cache.folder().c_str()}, token{"HF_TOKEN", nullptr},
        online{"HF_HUB_OFFLINE", nullptr};
};

TEST_F(ModelsProgram, pull_prints_the_folder_and_path_finds_it) {
    const std::string folder = cache.snapshot("some/vit", commit).string() + "\n";
    expect_refused(saccade_program({"models", "path", "some/vit"}), 1,
                   "'saccade models pull some/vit' downloads it");
    const Outcome outcome = saccade_program({"models", "pull", "some/vit"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, folder);
    EXPECT_EQ(lines_of(outcome.err).size(), 3u) << outcome.err;
    expect_says(outcome.err, "saccade: fetching model.safetensors");
    const Outcome again = saccade_program({"models", "pull", "some/vit", "--quiet"});
    expect_done(again);
    EXPECT_EQ(again.out, folder);
    EXPECT_EQ(saccade_program({"models", "path", "some/vit"}).out, folder);
    expect_all_pulled(cache.snapshot("some/vit", commit));
}

TEST_F(ModelsProgram, offline_makes_do_with_what_is_here) {
    expect_refused(saccade_program({"models", "pull", "some/vit", "--offline"}), 1, "--offline");
    {
        const Variable offline("HF_HUB_OFFLINE", "1");
        expect_refused(saccade_program({"models", "pull", "some/vit"}), 1, "HF_HUB_OFFLINE");
    }
    EXPECT_EQ(server.hub().requests().size(), 0u);
    // A pickle that transformers has downloaded is converted.
    const path folder = cache.snapshot("some/vit", commit);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << nano().at("config.json");
    std::ofstream(folder / "pytorch_model.bin", std::ios::binary) << pickle_of_nano();
    expect_refused(saccade_program({"models", "path", "some/vit"}), 1,
                   "converts it to safetensors");
    const Outcome outcome = saccade_program({"models", "pull", "some/vit", "--offline"});
    expect_done(outcome);
    EXPECT_EQ(outcome.out, folder.string() + "\n");
    EXPECT_EQ(saccade_program({"models", "path", "some/vit"}).out, folder.string() + "\n");
    EXPECT_EQ(server.hub().requests().size(), 0u);
}

TEST_F(ModelsProgram, a_pull_that_is_interrupted_goes_on_the_next_time) {
    spoil_weights(1, [](const WebRequest&, WebAnswer& response) {
        response.delay = std::chrono::milliseconds(1500);
    });
    Program program(places::program(), {"models", "pull", "some/vit"});
    for (int i = 0; i < 500 && server.store().requests().empty(); ++i) ::usleep(10'000);
    program.send(SIGINT);
    EXPECT_NE(program.wait().code, 0);
    EXPECT_NE(saccade_program({"models", "path", "some/vit"}).code, 0);
    EXPECT_EQ(saccade_program({"models", "pull", "some/vit"}).code, 0);
    expect_all_pulled(cache.snapshot("some/vit", commit));
}

TEST_F(ModelsProgram, list_says_what_is_here_and_what_could_be) {
    pull();
    std::filesystem::create_directories(cache.snapshot("some/language-model", "1"));
    const Outcome table = saccade_program({"models", "list"});
    expect_done(table);
    for (const char* part : {"facebook/detr-resnet-50 ", "167 MB", "AP 0.420, COCO val2017",
                             "some/vit ", "cached", "BSD-3-Clause"})
        expect_says(table.out, part);
    const Outcome outcome = saccade_program({"models", "list", "--json"});
    expect_done(outcome);
    const nlohmann::json list = nlohmann::json::parse(outcome.out);
    EXPECT_GE(list.size(), catalogue().size() + 1);
    for (const auto& entry : list) {
        EXPECT_TRUE(entry["task"] == "classify" || entry["task"] == "detect" ||
                    entry["task"] == "caption");
        EXPECT_NE(entry["name"], "some/language-model");
        if (entry["name"] != "some/vit") continue;
        EXPECT_EQ(entry["here"], true);
        EXPECT_EQ(entry["as"], "cached");
        EXPECT_EQ(entry["folder"], cache.snapshot("some/vit", commit).string());
        EXPECT_EQ(entry["bytes"], nano().at("model.safetensors").size());
    }
}

TEST_F(ModelsProgram, what_is_not_a_name_gets_one_line) {
    for (const char* name : {"../x", "a/b@../c"})
        expect_refused(saccade_program({"models", "pull", name}), 1, "is not the name of a model");
}

TEST(TransferProgress, the_line_has_a_bar_a_rate_and_the_time_left) {
    TransferProgress progress("some/vit", TransferProgress::Style::none);
    EXPECT_EQ(progress.line(1), "some/vit  asking");
    progress.expect(200'000'000);
    progress.had(40'000'000);
    progress.advance(40'000'000);
    EXPECT_EQ(progress.line(2), "some/vit  [####....................]  20 % of 200 MB");
    progress.advance(60'000'000);
    EXPECT_EQ(progress.line(0.4), "some/vit  [############............]  50 % of 200 MB")
        << "too early to tell a rate";
    EXPECT_EQ(progress.line(2),
              "some/vit  [############............]  50 % of 200 MB  30 MB/s  3 s left");
    progress.advance(100'000'000);
    EXPECT_EQ(progress.line(10),
              "some/vit  [########################] 100 % of 200 MB  16 MB/s  0 s left");
}

TEST(TransferProgress, sizes_are_said_as_people_say_them) {
    EXPECT_EQ(size_text(0), "0 bytes");
    EXPECT_EQ(size_text(999), "999 bytes");
    EXPECT_EQ(size_text(4200), "4 kB");
    EXPECT_EQ(size_text(1'234'567), "1.2 MB");
    EXPECT_EQ(size_text(346'270'624), "346 MB");
    EXPECT_EQ(size_text(1'990'000'000), "1.99 GB");
}

}  // namespace
}  // namespace saccade
