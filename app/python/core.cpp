// The module saccade._core: saccade.hpp for Python, with numpy arrays. The package in saccade/
// makes it handy.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <saccade.hpp>

namespace py = pybind11;
using namespace saccade;

namespace {

using Pixels = py::array_t<uint8_t, py::array::c_style | py::array::forcecast>;

// (height, width, 3) or (height, width, 4), rows without gaps.
saccade_picture picture_in(const Pixels& array) {
    if (array.ndim() != 3 || (array.shape(2) != 3 && array.shape(2) != 4))
        throw py::value_error("a picture is an array of uint8 (height, width, 3 or 4)");
    return picture(array.shape(2) == 3 ? SACCADE_RGB : SACCADE_RGBA, array.data(),
                   static_cast<uint32_t>(array.shape(1)), static_cast<uint32_t>(array.shape(0)));
}

py::array_t<float> table(const Map& map) {
    py::array_t<float> result({map->rows, map->columns});
    std::memcpy(result.mutable_data(), map->values,
                size_t(map->rows) * map->columns * sizeof(float));
    return result;
}

// Attention with the place of its cells: (values, (left, top, cell width, cell height)).
py::tuple map_of(Model& model, const Result& result, const saccade_look& look) {
    std::optional<Map> map;
    {
        const py::gil_scoped_release free;
        map.emplace(model.attention(result, look));
    }
    const Map& found = *map;
    return py::make_tuple(table(found), py::make_tuple(found->left, found->top, found->cell_width,
                                                       found->cell_height));
}

std::vector<Result> run(Model& model, const std::vector<Pixels>& arrays, float threshold,
                        uint32_t most, uint32_t words, uint32_t beams) {
    std::vector<saccade_picture> pictures;
    for (const Pixels& array : arrays) pictures.push_back(picture_in(array));
    const saccade_run_options options{sizeof options, threshold, most, words, beams};
    const py::gil_scoped_release free;
    return model(pictures, options);
}

py::list detections(const Result& result) {
    py::list all;
    for (const saccade_detection& one : result.detections())
        all.append(py::make_tuple(one.label, one.id, one.score,
                                  py::make_tuple(one.box[0], one.box[1], one.box[2], one.box[3]),
                                  one.query, one.has_mask != 0));
    return all;
}

py::array_t<bool> mask(const Result& result, size_t index) {
    const std::vector<uint8_t> bytes = result.mask(index);
    py::array_t<bool> array({result.height(), result.width()});
    for (size_t i = 0; i < bytes.size(); ++i) array.mutable_data()[i] = bytes[i] != 0;
    return array;
}

py::list classes(const Result& result) {
    py::list all;
    for (const saccade_class& one : result.classes())
        all.append(py::make_tuple(one.label, one.id, one.score));
    return all;
}

py::list words(const Result& result) {
    py::list all;
    for (const Word& word : result.words()) all.append(py::make_tuple(word.text, word.p));
    return all;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    py::register_exception<Failure>(module, "Error");
    module.def("version", &saccade_version);

    py::class_<Engine>(module, "Engine")
        .def(
            py::init([](const std::optional<std::string>& device, int precision, bool require_gpu) {
                const py::gil_scoped_release free;
                return std::make_unique<Engine>(device ? device->c_str() : nullptr,
                                                static_cast<saccade_precision>(precision),
                                                require_gpu);
            }),
            py::arg("device"), py::arg("precision"), py::arg("require_gpu"))
        .def_property_readonly("device", &Engine::device)
        .def_property_readonly("is_gpu", &Engine::is_gpu);

    py::class_<Result>(module, "Result")
        .def("detections", &detections)
        .def("mask", &mask)
        .def("classes", &classes)
        .def("caption", &Result::caption)
        .def("words", &words)
        .def_property_readonly("size", [](const Result& result) {
            return py::make_tuple(result.width(), result.height());
        });

    py::class_<Model>(module, "Model")
        .def(py::init([](const Engine& engine, const std::string& name) {
            const py::gil_scoped_release free;
            return std::make_unique<Model>(engine, name);
        }))
        .def("task", [](const Model& model) { return static_cast<int>(model.task()); })
        .def("labels", &Model::labels)
        .def("encoder_layers", &Model::encoder_layers)
        .def("decoder_layers", &Model::decoder_layers)
        .def("tell", &Model::tell, py::call_guard<py::gil_scoped_release>())
        .def("ask", &Model::ask, py::call_guard<py::gil_scoped_release>())
        .def("run", &run)
        .def("from_point",
             [](Model& model, const Result& result, float x, float y, int layer, int head) {
                 return map_of(model, result, Look::from_point(x, y, layer, head));
             })
        .def("from_query",
             [](Model& model, const Result& result, uint32_t query, int layer, int head) {
                 return map_of(model, result, Look::from_query(query, layer, head));
             })
        .def("from_class",
             [](Model& model, const Result& result, int layer, int head) {
                 return map_of(model, result, Look::from_class(layer, head));
             })
        .def("from_word",
             [](Model& model, const Result& result, uint32_t word, int layer, int head) {
                 return map_of(model, result, Look::from_word(word, layer, head));
             })
        .def("features", [](Model& model, const Result& result, int layer) {
            std::optional<Map> map;
            {
                const py::gil_scoped_release free;
                map.emplace(model.features(result, layer));
            }
            return table(*map);
        });
}
