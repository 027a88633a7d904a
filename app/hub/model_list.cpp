#include "app/hub/model_list.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "app/hub/transfer_progress.h"
#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {
namespace {

struct Listed {
    std::string name;
    Task task = Task::classify;
    std::optional<uint64_t> bytes;  // of its weights
    const CatalogueModel* known = nullptr;
    const char* here = "";  // "bundled", "cached"
    std::filesystem::path folder;
};

// The size of the weights in a folder; if they are stored in two formats, of the one that is read.
uint64_t weight_bytes(const std::filesystem::path& folder) {
    const char* const ending =
        weights_in(folder) == StoredWeights::safetensors ? ".safetensors" : ".bin";
    uint64_t total = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error)) {
        std::error_code none;
        const uint64_t size = std::filesystem::file_size(i->path(), none);
        if (!none && i->path().extension() == ending) total += size;
    }
    return total;
}

// nullopt if the model is not supported.
std::optional<Listed> in_folder(const std::string& name, const std::filesystem::path& folder,
                                const char* here) {
    try {
        return Listed{
            name,  family_of(folder).task(), weight_bytes(folder), find_in_catalogue(name), here,
            folder};
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::vector<std::string> bundled_names(const ModelPlaces& places) {
    std::set<std::string> names;
    for (const auto& place : places.bundled) {
        std::error_code error;
        for (std::filesystem::directory_iterator i(place, error), end; !error && i != end;
             i.increment(error))
            names.insert(i->path().filename().string());
    }
    return {names.begin(), names.end()};
}

std::vector<Listed> all_models(const ModelPlaces& places) {
    std::vector<Listed> all;
    for (const std::string& name : bundled_names(places))
        if (const auto folder = bundled_model(name, places))
            if (auto listed = in_folder(name, *folder, "bundled")) all.push_back(*listed);
    for (const std::string& name : places.hub.models()) {
        auto folder = cached_model({name, std::nullopt}, places.hub, StoredWeights::safetensors);
        const char* here = "cached";
        if (!folder) {
            folder = cached_model({name, std::nullopt}, places.hub, StoredWeights::pickle);
            here = "pickle";
        }
        if (!folder) continue;
        if (auto listed = in_folder(name, *folder, here)) all.push_back(*listed);
    }
    for (const CatalogueModel& model : catalogue()) {
        if (model.bundled() || std::ranges::find(all, model.name, &Listed::name) != all.end())
            continue;
        Listed listed{model.name, model.task, {}, &model, "", {}};
        if (model.megabytes) listed.bytes = uint64_t{*model.megabytes} * 1'000'000;
        all.push_back(listed);
    }
    return all;
}

std::string accuracy_text(const CatalogueModel* known) {
    if (!known || known->accuracy.empty()) return "";
    return figures_of(*known) + ", " + known->measured_on;
}

template <size_t columns>
std::string aligned(const std::vector<std::array<std::string, columns>>& rows) {
    std::array<size_t, columns> widths{};
    for (const auto& row : rows)
        for (size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (size_t i = 0; i < columns; ++i)
            line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

// The data sets that listed models were trained on, each with its terms.
std::string terms_table(const std::vector<Listed>& models) {
    std::vector<std::array<std::string, 3>> rows{{"trained on", "terms", "models"}};
    for (const DataSet& set : data_sets()) {
        std::string names;
        for (const Listed& m : models)
            if (m.known && std::ranges::count(m.known->trained_on, &set))
                names += (names.empty() ? "" : ", ") + m.name;
        if (!names.empty()) rows.push_back({set.name, set.terms, names});
    }
    return rows.size() > 1 ? "\n" + aligned(rows) : "";
}

std::string as_table(const std::vector<Listed>& models) {
    std::vector<std::array<std::string, 6>> rows{
        {"model", "task", "size", "licence", "accuracy", "here"}};
    for (const Listed& m : models)
        rows.push_back({m.name, std::string(name_of(m.task)), m.bytes ? size_text(*m.bytes) : "",
                        m.known ? m.known->licence : "", accuracy_text(m.known), m.here});
    return aligned(rows) + terms_table(models);
}

void add_known(nlohmann::ordered_json& entry, const CatalogueModel& known) {
    entry["licence"] = known.licence;
    for (const DataSet* set : known.trained_on)
        entry["trained_on"].push_back({{"name", set->name}, {"terms", set->terms}});
    for (const CatalogueModel::Figure& figure : known.accuracy)
        entry["accuracy"].push_back(
            {{"metric", figure.metric}, {"value", figure.value}, {"data", known.measured_on}});
    if (known.revision) entry["revision"] = *known.revision;
}

std::string as_json(const std::vector<Listed>& models) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Listed& m : models) {
        nlohmann::ordered_json entry = {{"name", m.name}, {"task", name_of(m.task)}};
        if (m.bytes) entry["bytes"] = *m.bytes;
        if (m.known) add_known(entry, *m.known);
        entry["here"] = !m.folder.empty();
        if (!m.folder.empty()) {
            entry["as"] = m.here;
            entry["folder"] = text_of_name(m.folder.native());
        }
        all.push_back(entry);
    }
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string list_models(const ModelPlaces& places, bool json) {
    const std::vector<Listed> models = all_models(places);
    return json ? as_json(models) : as_table(models);
}

}  // namespace saccade
