#include "app/hub/model_catalogue.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {

extern const char* const embedded_catalogue;  // written by app/CMakeLists.txt

namespace {

constexpr const char* file = "app/hub/catalogue.json";

struct TaskName {
    Task task;
    std::string_view name, option;
};
constexpr std::array<TaskName, 3> tasks{{{Task::classify, "classify", "--classifier"},
                                         {Task::detect, "detect", "--detector"},
                                         {Task::caption, "caption", "--captioner"}}};

Task task_named(const JsonFields& fields) {
    const std::string name = fields.text("task");
    for (const TaskName& task : tasks)
        if (task.name == name) return task.task;
    fields.refuse("task", in_quotes(name) + " is none of classify, detect and caption");
}

PublishedAnswers read_published(const JsonFields& fields) {
    using Rows = std::vector<std::vector<double>>;
    PublishedAnswers published;
    if (const Json* logits = fields.find("logits")) published.logits = logits->get<Rows>();
    if (const Json* boxes = fields.find("boxes")) published.boxes = boxes->get<Rows>();
    if (const Json* detections = fields.find("detections"))
        for (const Json& found : *detections)
            published.detections.push_back(
                {found.at("label"), found.at("score"), found.value("box", std::vector<double>())});
    published.caption = fields.text("caption", "");
    return published;
}

const Json& embedded() {
    static const Json json = parse_json(embedded_catalogue, file);
    return json;
}

const DataSet* data_set(const std::string& name) {
    const auto found = std::ranges::find(data_sets(), name, &DataSet::name);
    if (found == data_sets().end())
        throw Error(std::string(file) + ": there is no data set " + in_quotes(name));
    return &*found;
}

CatalogueModel read_model(const Json& json) {
    const JsonFields fields(json, file);
    CatalogueModel model;
    model.name = fields.text("name");
    model.task = task_named(fields);
    if (fields.has("megabytes")) model.megabytes = fields.whole("megabytes", {.least = 1});
    model.licence = fields.text("licence");
    for (const std::string& name : fields.texts("trained_on"))
        model.trained_on.push_back(data_set(name));
    if (const Json* accuracy = fields.find("accuracy")) {
        for (const Json& figure : *accuracy) model.accuracy.push_back({figure.at(0), figure.at(1)});
        model.measured_on = fields.text("measured_on");
    }
    if (fields.has("revision")) model.revision = fields.text("revision");
    if (fields.has("published")) model.published = read_published(fields.object("published"));
    return model;
}

}  // namespace

std::string_view name_of(Task task) { return tasks[static_cast<size_t>(task)].name; }
std::string_view option_of(Task task) { return tasks[static_cast<size_t>(task)].option; }

const std::vector<CatalogueModel>& catalogue() {
    static const std::vector<CatalogueModel> models = [] {
        std::vector<CatalogueModel> all;
        for (const Json& model : embedded().at("models")) all.push_back(read_model(model));
        return all;
    }();
    return models;
}

const std::vector<DataSet>& data_sets() {
    static const std::vector<DataSet> sets = [] {
        std::vector<DataSet> all;
        for (const Json& set : embedded().at("data_sets"))
            all.push_back({set.at("name"), set.at("terms")});
        return all;
    }();
    return sets;
}

std::string CatalogueModel::Figure::text() const {
    char digits[16];
    std::snprintf(digits, sizeof digits, " %.3f", value);
    return metric + digits;
}

std::string figures_of(const CatalogueModel& model) {
    std::string text;
    for (const CatalogueModel::Figure& figure : model.accuracy)
        text += (text.empty() ? "" : ", ") + figure.text();
    return text;
}

const CatalogueModel* find_in_catalogue(std::string_view name) {
    for (const CatalogueModel& model : catalogue()) {
        const std::string_view full = model.name;
        if (name == full || name == full.substr(full.find('/') + 1)) return &model;
    }
    return nullptr;
}

}  // namespace saccade
