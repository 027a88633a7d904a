#include "models/registry/registry.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "models/picture/preprocessor.h"
#include "models/registry/published.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(Registry, a_type_that_nobody_knows_gets_one_line_that_lists_all) {
    const std::string error = error_of([] {
        family_of(Json{{"model_type", "resnet"}}, "config.json");
    });
    expect_says(error, "config.json: model_type 'resnet' is not supported; supported: vit, deit, ");
    for (const Family& family : families()) expect_says(error, family.type);
    expect_says(error_of([] {
                    family_of(Json{{"architecture", "levit_128"}}, "config.json");
                }),
                "config.json: architecture 'levit_128' is not supported; supported: vit, ");
    expect_says(error_of([] { family_of(Json::object(), "config.json"); }), "model_type");
}

TEST(Registry, a_model_of_another_task_is_refused_with_those_that_do_it) {
    const Json vit = {{"model_type", "vit"}};
    EXPECT_EQ(&family_for(Task::classify, vit, "config.json"), &family_of(vit, "config.json"));
    expect_says(error_of([&] { family_for(Task::detect, vit, "config.json"); }),
                "config.json: model_type 'vit' is not a detector; supported: detr, yolos");
    expect_says(error_of([&] { family_for(Task::caption, vit, "config.json"); }),
                "'vit' is not a captioner; supported: vision-encoder-decoder, blip");
    expect_says(error_of([&] {
                    family_for(Task::classify, Json{{"model_type", "blip"}}, "config.json");
                }),
                "'blip' is not a classifier; supported: vit, deit");
}

TEST(Registry, every_family_is_whole) {
    std::set<std::tuple<std::string_view, bool, bool>> types;
    for (const Family& family : families()) {
        SCOPED_TRACE(family.type);
        const bool of_authors = !family.authors.empty();
        EXPECT_TRUE(types.insert({family.type, family.timm, of_authors}).second) << "listed twice";
        // timm's and the authors' folders have the preprocessing in config.json.
        if (!family.timm && !of_authors) {
            EXPECT_EQ(Preprocessor::parse(Json::object(), "file", family.image_processor).type,
                      family.image_processor);
        }
        if (!family.published) continue;
        for (const PublishedModel& model : family.published()) {
            EXPECT_EQ(&family_of(model.config, model.name), &family);
            EXPECT_NO_THROW(Preprocessor::parse(model.processor, model.name)) << model.name;
        }
    }
}

TEST(Registry, a_folder_whose_files_name_no_image_processor_gets_its_familys) {
    TempFolder temp;
    temp.write("preprocessor_config.json", R"({"size": 64})");
    auto type_for = [&](const char* config) {
        return read_preprocessor(temp.path(), parse_json(config, "config.json"), "config.json")
            .type;
    };
    EXPECT_EQ(type_for(R"({"model_type": "yolos"})"), "Yolos");
    EXPECT_EQ(type_for(R"({"model_type": "deit"})"), "DeiT");
    EXPECT_EQ(type_for(R"({"model_type": "vision-encoder-decoder",
                           "encoder": {"model_type": "vit"}, "decoder": {"model_type": "gpt2"}})"),
              "ViT");
    EXPECT_EQ(type_for(R"({"model_type": "blip"})"), "Blip");
    temp.write("preprocessor_config.json", R"({"image_processor_type": "DetrImageProcessor"})");
    EXPECT_EQ(type_for(R"({"model_type": "yolos"})"), "Detr") << "the file's word counts more";
}

}  // namespace
}  // namespace saccade
