// What is said about the bundled models and about what comes from elsewhere: app/hub/catalogue.json
// says it first; the models' cards, README.md and NOTICE repeat it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/hub/model_list.h"
#include "app/hub/transfer_progress.h"
#include "tests/places.h"

namespace saccade {
namespace {

using std::filesystem::path;

const path root = path(places::tests()).parent_path();
const path pretrained = root / "models/pretrained";

std::string text_of(const path& file) {
    std::ifstream stream(file);
    EXPECT_TRUE(stream) << file;
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<const CatalogueModel*> bundled() {
    std::vector<const CatalogueModel*> models;
    for (const CatalogueModel& model : catalogue())
        if (model.bundled()) models.push_back(&model);
    return models;
}

// "COCO (annotations CC BY 4.0, ...), Noto Emoji (...)"
std::string training_data_of(const CatalogueModel& model) {
    std::string text;
    for (const DataSet* set : model.trained_on)
        text += (text.empty() ? "" : ", ") + set->name + " (" + set->terms + ")";
    return text;
}

// The section of NOTICE about each data set: its first line, and the models that it names.
struct Section {
    std::string heading;
    std::set<std::string> models;
};
std::vector<Section> data_sets_in_notice() {
    std::vector<Section> sections;
    bool of_models = false;
    const std::string text = text_of(root / "NOTICE");
    const size_t begin = text.find("Data sets\n"), end = text.find("Fonts\n");
    if (begin == text.npos || end == text.npos) return {};
    for (const std::string& line : lines_of(text.substr(begin, end - begin))) {
        if (line.empty()) continue;
        if (line[0] != ' ') {
            sections.push_back({line, {}});
            of_models = false;
        }
        of_models = of_models || line.starts_with("  Models:");
        if (!of_models) continue;
        const std::regex name("(emoji|photo)-[a-z0-9-]+");
        for (std::sregex_iterator i(line.begin(), line.end(), name), last; i != last; ++i)
            sections.back().models.insert(i->str());
    }
    return sections;
}

TEST(Terms, every_bundled_model_is_in_the_catalogue_with_its_data_and_figures) {
    std::set<std::string> folders, names;
    for (const auto& entry : std::filesystem::directory_iterator(pretrained))
        if (std::filesystem::exists(entry.path() / "config.json"))
            folders.insert(entry.path().filename());
    for (const CatalogueModel* model : bundled()) {
        names.insert(model->name);
        EXPECT_FALSE(model->trained_on.empty()) << model->name;
        EXPECT_FALSE(model->accuracy.empty()) << model->name;
    }
    EXPECT_EQ(folders, names);
    EXPECT_GE(names.size(), 8u);
}

TEST(Terms, no_model_is_freer_than_its_data) {
    for (const CatalogueModel* model : bundled())
        for (const DataSet* set : model->trained_on)
            if (set->terms.find("research") != set->terms.npos) {
                EXPECT_EQ(model->licence, "non-commercial research") << model->name;
            }
}

TEST(Terms, a_card_says_in_short_what_the_catalogue_says) {
    for (const CatalogueModel* model : bundled()) {
        const std::string wanted = "**In short**: " + figures_of(*model) + " (" +
                                   model->measured_on + "). Terms: " + model->licence +
                                   ". Trained on " + training_data_of(*model) + ".";
        EXPECT_NE(text_of(pretrained / model->name / "README.md").find(wanted), std::string::npos)
            << model->name << "'s README.md lacks: " << wanted;
    }
}

TEST(Terms, the_table_of_all_models_has_the_catalogues_figures) {
    const std::string page = text_of(pretrained / "README.md");
    for (const CatalogueModel* model : bundled())
        for (const CatalogueModel::Figure& figure : model->accuracy)
            EXPECT_NE(page.find(figure.text()), page.npos) << model->name << ": " << figure.text();
}

TEST(Terms, readme_has_a_row_for_each_bundled_model) {
    const std::vector<std::string> lines = lines_of(text_of(root / "README.md"));
    for (const CatalogueModel* model : bundled()) {
        const auto size =
            std::filesystem::file_size(pretrained / model->name / "model.safetensors");
        const std::string row = "| " + model->name + " | " + size_text(size) + " | " +
                                figures_of(*model) + " | " + model->licence + " |";
        EXPECT_EQ(std::ranges::count(lines, row), 1) << row;
    }
}

TEST(Terms, notice_lists_the_data_sets_with_terms_and_models) {
    const std::vector<Section> sections = data_sets_in_notice();
    for (const DataSet& set : data_sets()) {
        const std::string heading = set.name + ": " + set.terms;
        const auto section = std::ranges::find(sections, heading, &Section::heading);
        ASSERT_NE(section, sections.end()) << heading;
        std::set<std::string> models;
        for (const CatalogueModel* model : bundled())
            if (std::ranges::count(model->trained_on, &set)) models.insert(model->name);
        EXPECT_EQ(section->models, models) << set.name;
        EXPECT_FALSE(models.empty()) << set.name << " is no longer used";
    }
    size_t with_models = 0;
    for (const Section& section : sections) with_models += !section.models.empty();
    EXPECT_EQ(with_models, data_sets().size()) << "NOTICE has a data set too many";
}

TEST(Terms, models_list_prints_figures_licences_and_the_datas_terms) {
    const std::string table = list_models(ModelPlaces::of_this_machine(), false);
    const std::vector<std::string> lines = lines_of(table);
    for (const CatalogueModel* model : bundled()) {
        const auto row = std::ranges::find_if(
            lines, [&](const std::string& line) { return line.starts_with(model->name + " "); });
        ASSERT_NE(row, lines.end()) << model->name;
        for (const std::string& part : {figures_of(*model), model->licence})
            EXPECT_NE(row->find(part), row->npos) << *row << " lacks " << part;
    }
    for (const DataSet& set : data_sets()) EXPECT_NE(table.find(set.terms), table.npos) << set.name;
}

TEST(Terms, notice_names_every_picture_and_font_of_the_tree) {
    const std::string notice = text_of(root / "NOTICE");
    const std::set<std::string> kinds{".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg",
                                      ".ttf", ".otf", ".woff", ".mp4",  ".wav"};
    size_t found = 0;
    for (const char* folder : {".media", "app", "gpu", "models", "shaders", "tests"})
        for (std::filesystem::recursive_directory_iterator i(root / folder), end; i != end; ++i) {
            if (i->path() == pretrained / "training/photographs") i.disable_recursion_pending();
            if (!kinds.contains(i->path().extension())) continue;
            const path file = i->path().lexically_relative(root);
            const std::string whole = file.parent_path().string() + "/";
            EXPECT_TRUE(notice.find(file.string()) != notice.npos ||
                        notice.find(whole + ":") != notice.npos ||
                        notice.find(whole + ",") != notice.npos)
                << "NOTICE does not say whose picture " << file << " is";
            ++found;
        }
    EXPECT_GE(found, 20u);
}

}  // namespace
}  // namespace saccade
