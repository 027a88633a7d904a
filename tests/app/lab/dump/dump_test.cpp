// `dump` of both programs, against what transformers computed.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "models/files/safetensors.h"
#include "tests/app/program.h"
#include "tests/golden_picture.h"
#include "tests/gpu_test.h"
#include "tests/places.h"

namespace saccade {
namespace {

std::vector<float> floats_of(const StoredTensor& tensor) {
    std::vector<float> values(tensor.elements());
    if (tensor.type == StoredType::i32) {  // the ids of captions, small numbers
        std::vector<int32_t> whole(values.size());
        std::memcpy(whole.data(), tensor.bytes.data(), tensor.bytes.size());
        std::ranges::transform(whole, values.begin(), [](int32_t id) { return float(id); });
        return values;
    }
    read_floats(tensor, 0, values);
    return values;
}

class Dump : public ::testing::Test {
protected:
    Outcome dump(const std::string& program, const std::string& folder, const std::string& image,
                 const std::string& file, const std::string& precision = "fp32") const {
        return run_program(program, on_test_device({"dump", "--model", folder, "--image", image,
                                                    "-o", file, "--precision", precision}));
    }
    // Every tensor that transformers' file has, in its shape and within the tolerance.
    static void expect_golden(const std::string& file, const std::string& golden,
                              double tolerance) {
        const SafetensorsFile got(file);
        const SafetensorsFile want(golden_folder() / golden / "golden.safetensors");
        EXPECT_EQ(got.tensors().size(), want.tensors().size());
        for (const StoredTensor& tensor : want.tensors()) {
            const StoredTensor* ours = got.find(tensor.name);
            ASSERT_TRUE(ours) << tensor.name;
            std::vector<float> values = floats_of(*ours);
            if (tensor.name == "pixel_values" && ours->shape != tensor.shape) {
                values = lattice(values, ours->shape[2], ours->shape[3]);
            } else {
                EXPECT_EQ(ours->shape, tensor.shape) << tensor.name;
            }
            EXPECT_LT(relative_error(values, floats_of(tensor)), tolerance) << tensor.name;
        }
    }
    // Every eighth row and column, which is what the golden keeps of a large picture.
    static std::vector<float> lattice(const std::vector<float>& picture, size_t height,
                                      size_t width) {
        std::vector<float> result;
        for (size_t c = 0; c < 3; ++c)
            for (size_t y = 0; y < height; y += 8)
                for (size_t x = 0; x < width; x += 8)
                    result.push_back(picture[(c * height + y) * width + x]);
        return result;
    }
    size_t files() const {
        return size_t(std::distance(std::filesystem::directory_iterator(temp / "out"), {}));
    }

    Dump() { std::filesystem::create_directory(temp / "out"); }
    TempFolder temp;
    const std::string model = model_folder(temp, "vit-nano");
    const std::string ppm = [this] {  // the one format that saccade-lab reads
        const std::string file = temp / "chelsea.ppm";
        write_ppm(file, read_golden_picture("chelsea"));
        return file;
    }();
    const std::string out = temp / "out/dump.safetensors";
};

TEST_F(Dump, every_tensor_is_what_transformers_computes) {
    for (const char* golden : {"vit-nano", "vit-odd", "deit-distilled", "detr-thin", "yolos-mid"}) {
        SCOPED_TRACE(golden);
        const std::string folder =
            golden == std::string("vit-nano") ? model : model_folder(temp, golden);
        for (const char* program : {places::program(), places::lab_program()}) {
            expect_done(dump(program, folder, ppm, out));
            expect_golden(out, golden, 1e-4);
            // DETR's untrained backbone is no case for half precision: see detr_test.cpp.
            if (golden == std::string("detr-thin")) continue;
            expect_done(dump(program, folder, ppm, out, "fp16"));
            expect_golden(out, golden, 1e-2);
        }
    }
    EXPECT_EQ(files(), 1u);
}

TEST_F(Dump, captioners_show_every_step_of_greedy_decoding) {
    for (const char* golden : {"vit-gpt2-nano", "blip-nano"}) {
        SCOPED_TRACE(golden);
        expect_done(dump(places::lab_program(), model_folder(temp, golden), ppm, out));
        expect_golden(out, golden, 1e-4);
        const std::vector<uint32_t> ids =
            read_json(golden_folder() / golden / "golden.json")["ids"];
        const SafetensorsFile file(out);
        const std::vector<float> best = floats_of(*file.find("step_ids_top8"));
        for (size_t i = 1; i < ids.size(); ++i) EXPECT_EQ(best[(i - 1) * 8], float(ids[i])) << i;
    }
}

TEST_F(Dump, the_format_of_the_picture_does_not_matter) {
    const std::string png = golden_picture_file("chelsea");
    expect_done(dump(places::program(), model, png, out));
    expect_golden(out, "vit-nano", 1e-4);
    const Outcome outcome = dump(places::lab_program(), model, png, temp / "out/other");
    expect_refused(outcome, 1, "not a binary PPM picture", "saccade-lab");
    EXPECT_EQ(files(), 1u);
}

TEST_F(Dump, what_cannot_be_done_gets_one_line_and_leaves_nothing) {
    for (const std::string program : {places::program(), places::lab_program()}) {
        const char* name = program == places::program() ? "saccade" : "saccade-lab";
        SCOPED_TRACE(name);
        auto refused = [&](const Outcome& outcome, std::string_view says) {
            expect_refused(outcome, 1, says, name);
        };
        const std::string nowhere = temp / "nosuch/dump.safetensors", folder = temp / "out";
        refused(dump(program, model, ppm, nowhere), nowhere);
        refused(dump(program, model, ppm, folder), folder);
        refused(dump(program, model, ppm, "/dev/null"), "/dev/null");
        refused(dump(program, folder, ppm, out), "is not a model folder");
        refused(dump(program, model, temp / "nosuch.ppm", out), "nosuch.ppm");
        refused(run_program(program, {"dump", "--model", model, "--image", ppm, "-o", out,
                                      "--device", "nosuch"}),
                "saccade devices");
        EXPECT_EQ(files(), 0u);
        EXPECT_FALSE(std::filesystem::exists(temp / "nosuch"));
    }
}

TEST_F(Dump, an_older_file_is_replaced_only_by_a_whole_one) {
    temp.write("out/dump.safetensors", "older");
    std::filesystem::remove(model + "/model.safetensors");
    expect_refused(dump(places::program(), model, ppm, out), 1, "model.safetensors");
    std::string text;
    std::ifstream(out) >> text;
    EXPECT_EQ(text, "older");
    EXPECT_EQ(files(), 1u);
}

TEST_F(Dump, takes_the_queries_to_report_from_a_file) {
    const std::string detector = model_folder(temp, "detr-thin"), inputs = temp / "inputs.json";
    auto dump_of = [&](const char* text) {
        std::ofstream(inputs) << text;
        return lab_program(on_test_device(
            {"dump", "--model", detector, "--image", ppm, "--inputs", inputs, "-o", out}));
    };
    expect_done(dump_of(R"({"top5_queries": [1, 0]})"));
    EXPECT_EQ(SafetensorsFile(out).find("cross_attention_top5")->shape[0], 2u);
    expect_refused(dump_of(R"({"top5_queries": [123456]})"), 1, "no query 123456", "saccade-lab");
    expect_refused(dump_of(R"({"top5_queries": [-1]})"), 1, "top5_queries", "saccade-lab");
}

}  // namespace
}  // namespace saccade
