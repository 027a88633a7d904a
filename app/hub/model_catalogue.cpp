#include "app/hub/model_catalogue.h"

#include <array>
#include <nlohmann/json.hpp>

#include "models/files/json.h"

namespace saccade {

extern const char* const embedded_catalogue;  // written by app/CMakeLists.txt

namespace {

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

CatalogueModel read_model(const Json& json) {
    const JsonFields fields(json, "app/hub/catalogue.json");
    CatalogueModel model;
    model.name = fields.text("name");
    model.task = task_named(fields);
    if (fields.has("megabytes")) model.megabytes = fields.whole("megabytes", {.least = 1});
    model.licence = fields.text("licence");
    if (fields.has("accuracy")) {
        const JsonFields accuracy = fields.object("accuracy");
        model.accuracy = {accuracy.text("metric"), accuracy.number("value", 0, 1000),
                          accuracy.text("data")};
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
        const Json json = parse_json(embedded_catalogue, "app/hub/catalogue.json");
        for (const Json& model : json.at("models")) all.push_back(read_model(model));
        return all;
    }();
    return models;
}

const CatalogueModel* find_in_catalogue(std::string_view name) {
    for (const CatalogueModel& model : catalogue()) {
        const std::string_view full = model.name;
        if (name == full || name == full.substr(full.find('/') + 1)) return &model;
    }
    return nullptr;
}

}  // namespace saccade
