// Finds the folders of models by their names.

#include "app/hub/model_finder.h"

#include "app/pipeline/models_in_use.h"
#include "models/files/checkpoint.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"
#include "tests/places.h"

namespace saccade {
namespace {

using std::filesystem::path;

class ModelFinder : public ::testing::Test {
protected:
    path put(const path& folder, const char* weights) {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "config.json") << "{}";
        if (weights) std::ofstream(folder / weights) << "";
        return folder;
    }
    path put_snapshot(const std::string& name, const std::string& commit,
                      const std::string& revision, const char* weights) {
        if (!revision.empty()) {
            const path reference = places.hub.reference(name, revision);
            std::filesystem::create_directories(reference.parent_path());
            std::ofstream(reference) << commit;
        }
        return put(places.hub.snapshot(name, commit), weights);
    }
    path find(const std::string& name) const { return find_model(name, places); }
    std::string refusal(const std::string& name) const {
        return error_of([&] { find(name); });
    }

    TempFolder temp;
    ModelPlaces places{{temp / "beside", temp / "source"}, HubCache(temp / "hub")};
    const std::string detr = "facebook/detr-resnet-50";
};

TEST_F(ModelFinder, a_folder_comes_first) {
    put(temp / "source/own", "model.safetensors");
    const path folder = put(temp / "own", "model.safetensors");
    EXPECT_EQ(find(folder.string()), folder);
    const path before = std::filesystem::current_path();
    std::filesystem::current_path(temp.path());
    EXPECT_EQ(find("own"), "own");
    std::filesystem::current_path(before);
    EXPECT_EQ(find("own"), temp / "source/own");
}

TEST_F(ModelFinder, bundled_models_are_found_in_the_first_place_that_has_them) {
    put(temp / "source/emoji-detector", "model.safetensors");
    EXPECT_EQ(find("emoji-detector"), temp / "source/emoji-detector");
    put(temp / "beside/emoji-detector", "model.safetensors");
    EXPECT_EQ(find("emoji-detector"), temp / "beside/emoji-detector");
    EXPECT_FALSE(bundled_model("../source/emoji-detector", places));
    EXPECT_FALSE(bundled_model("", places));
    std::filesystem::create_directories(temp / "source/training");  // not a model
    EXPECT_FALSE(bundled_model("training", places));
}

TEST_F(ModelFinder, what_transformers_has_downloaded_is_used) {
    const path main = put_snapshot(detr, "1111", "main", "model.safetensors");
    const path other = put_snapshot(detr, "2222", "no_timm", "model.safetensors");
    EXPECT_EQ(find(detr), main);
    EXPECT_EQ(find(detr + "@main"), main);
    EXPECT_EQ(find(detr + "@no_timm"), other);
    EXPECT_EQ(find(detr + "@2222"), other);
    EXPECT_EQ(find("detr-resnet-50"), main) << "catalogue models response to their short names";
    expect_says(refusal(detr + "@v1"), "'saccade models pull " + detr + "@v1' downloads it");
    const path sharded = put_snapshot("some/model", "3333", "main", "model.safetensors.index.json");
    EXPECT_EQ(find("some/model"), sharded);
}

TEST_F(ModelFinder, another_revision_does_where_main_has_no_safetensors) {
    const std::string name = "nlpconnect/vit-gpt2-image-captioning";
    put_snapshot(name, "4444", "main", "pytorch_model.bin");
    put_snapshot(name, "0000", "other", "model.safetensors");
    const path known = put_snapshot(name, "5555", "refs/pr/37", "model.safetensors");
    EXPECT_EQ(find(name), known);
    // Without a known revision, any cached one is used.
    put_snapshot("some/model", "6666", "main", nullptr);
    const path any = put_snapshot("some/model", "7777", "", "model.safetensors");
    EXPECT_EQ(find("some/model"), any);
}

TEST_F(ModelFinder, a_pickle_is_used_once_it_is_converted) {
    const path folder = put_snapshot(detr, "1111", "main", "pytorch_model.bin");
    expect_says(refusal(detr), "'saccade models pull " + detr + "' converts it to safetensors");
    std::ofstream(folder / converted_weights) << "";
    EXPECT_EQ(find(detr), folder);
}

TEST_F(ModelFinder, what_is_not_here_gets_a_line_that_says_how_to_get_it) {
    EXPECT_EQ(refusal(detr), detr + " is not on this machine; 'saccade models pull " + detr +
                                 "' downloads it, 167 MB");
    expect_says(refusal("vit-base-patch16-224"),
                "'saccade models pull google/vit-base-patch16-224' downloads it, 346 MB");
    expect_says(refusal("some/model@v2"), "'saccade models pull some/model@v2' downloads it");
    expect_says(refusal("unicorn"), "'saccade models list'");
    expect_says(refusal("emoji-detector"), "is bundled with Saccade, but missing from this copy");
    for (const char* path : {"/no/such/folder", "./model", "../model", "a/b/c", "", "a@", "a b",
                             "a/..", "-x", "a/b@../c", "a/b@/etc", "a/b@x//y"})
        expect_says(refusal(path), "is not a model folder");
}

TEST_F(ModelFinder, references_lead_nowhere_else) {
    put(temp / "elsewhere", "model.safetensors");
    for (const char* commit : {"../../../elsewhere", "..", ".", ""})
        EXPECT_THROW(
            {
                put_snapshot(detr, "1111", "main", nullptr);
                std::ofstream(places.hub.reference(detr, "main")) << commit;
                find(detr);
            },
            Error)
            << commit;
}

TEST_F(ModelFinder, the_environment_says_where_the_cache_is) {
    const Variable home("HOME", "/home/me"), none1("HF_HUB_CACHE", nullptr),
        none2("HUGGINGFACE_HUB_CACHE", nullptr), none3("HF_HOME", nullptr);
    {
        const Variable none("XDG_CACHE_HOME", nullptr);
        EXPECT_EQ(HubCache().folder(), "/home/me/.cache/huggingface/hub");
    }
    const Variable cache("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(HubCache().folder(), "/cache/huggingface/hub");
    const Variable hugging_face("HF_HOME", "~/hf");
    EXPECT_EQ(HubCache().folder(), "/home/me/hf/hub");
    const Variable hub("HF_HUB_CACHE", "/hub");
    EXPECT_EQ(HubCache().folder(), "/hub");
}

TEST_F(ModelFinder, the_cache_lists_its_models) {
    put_snapshot(detr, "1111", "main", "model.safetensors");
    put_snapshot("gpt2", "1111", "main", "model.safetensors");
    for (const char* other : {"datasets--a--b", "models--", "models--a--b--c", ".locks"})
        std::filesystem::create_directories(temp / "hub" / other);
    EXPECT_EQ(places.hub.models(), (std::vector<std::string>{detr, "gpt2"}));
    EXPECT_EQ(HubCache(temp / "nosuch").models(), std::vector<std::string>());
}

TEST_F(ModelFinder, names_and_commits_do_not_lead_outside) {
    for (const char* name : {"me/a..b", "a..b", "me/a--b", "../b", "me/b@../x", "me/b@.x"})
        EXPECT_FALSE(HubModel::parse(name)) << name;
    put(places.hub.snapshot("me/b", "aa/bb"), "model.safetensors");
    EXPECT_EQ(places.hub.commit("me/b", "aa/bb"), std::nullopt);
    EXPECT_EQ(places.hub.commit("me/b", "aa"), "aa") << "a folder";
    put_snapshot("me/b", "aa/bb", "main", "model.safetensors");
    EXPECT_EQ(places.hub.commit("me/b", "main"), std::nullopt);
}

TEST(ModelCatalogue, every_entry_is_sound) {
    EXPECT_GE(catalogue().size(), 20u);
    for (const CatalogueModel& model : catalogue()) {
        EXPECT_TRUE(HubModel::parse(model.name)) << model.name;
        EXPECT_EQ(find_in_catalogue(model.name), &model);
        EXPECT_EQ(find_in_catalogue(model.name.substr(model.name.find('/') + 1)), &model);
    }
    EXPECT_EQ(find_in_catalogue("nosuch"), nullptr);
    EXPECT_EQ(find_in_catalogue(""), nullptr);
}

TEST(DefaultModels, are_bundled_and_in_the_catalogue) {
    for (Task task : {Task::classify, Task::detect, Task::caption})
        for (Imagery imagery : {Imagery::photographs, Imagery::emoji}) {
            const std::string name = default_model(task, imagery);
            const CatalogueModel* const known = find_in_catalogue(name);
            ASSERT_TRUE(known) << name;
            EXPECT_TRUE(known->bundled());
            EXPECT_EQ(known->task, task);
            EXPECT_EQ(family_of(find_model(name)).task(), task);
        }
}

TEST(DefaultModels, are_those_for_photographs_wherever_frames_are_not_synthetic) {
    for (const char* source : {"0", "/dev/video0", "clip.mp4", "photos/*.jpg", "no such file",
                               "rtsp://camera.local/synth:", "a synth: b.png"})
        EXPECT_EQ(default_model(Task::detect, imagery_of(source)), "photo-detector") << source;
    for (const char* source : {"synth:", "synth:320x240?seed=3"})
        EXPECT_EQ(default_model(Task::detect, imagery_of(source)), "emoji-detector") << source;
}

TEST(DefaultModels, take_no_other_models_place) {
    const ModelNames names =
        ModelNames{.detector = "", .classifier = "own", .captioner = "none"}.or_default(
            Imagery::emoji);
    EXPECT_EQ(names.detector, "emoji-detector");
    EXPECT_EQ(names.classifier, "own");
    EXPECT_EQ(names.captioner, "none");
}

TEST_F(ModelFinder, programs_find_models_beside_them) {
    // An installed program finds the models that are installed beside it.
    const path program = temp / "saccade";
    std::filesystem::copy_file(places::program(), program);
    std::filesystem::create_directory(temp / "models");
    std::filesystem::rename(model_folder(temp, "vit-nano"), temp / "models/emoji-nano");
    const Outcome outcome = run_program(program, {"models", "path", "emoji-nano"});
    expect_done(outcome);
    EXPECT_EQ(outcome.out, (temp / "models/emoji-nano").string() + "\n");
}

TEST_F(ModelFinder, a_folder_is_called_by_the_last_part_of_its_path) {
    std::filesystem::create_directories(temp / "some/model");
    EXPECT_EQ(title_of(temp / "some/model"), "model");
    EXPECT_EQ(title_of((temp / "some/model").string() + "/"), "model");
    EXPECT_EQ(title_of("facebook/detr-resnet-50"), "facebook/detr-resnet-50");
}

}  // namespace
}  // namespace saccade
