#include "models/detector.h"

#include <cmath>

#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

class DetectorTest : public DetectionTest {
protected:
    // A part of the golden's picture, for another shape of frame.
    static PpmPicture cut(const PpmPicture& from, uint32_t width, uint32_t height) {
        PpmPicture result{width, height, {}};
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < 3 * width; ++x)
                result.rgb.push_back(from.rgb[size_t(y) * 3 * from.width + x]);
        return result;
    }
    Floats map_of(const Detector& detector, const std::function<Tensor(Commands&)>& look) {
        const uint32_t width = detector.geometry().grid.x, height = detector.geometry().grid.y;
        const Floats map = run(look);
        EXPECT_EQ(map.size(), size_t(height) * width);
        return map;
    }
    // The cells' part of rows of attention.
    static Floats cells(const Floats& row, const TokenLayout& tokens) {
        const auto first = row.begin() + tokens.first_cell;
        return Floats(first, first + area(tokens.grid));
    }
    static DetectionFilter everything() {
        DetectionFilter filter;
        filter.threshold = -1;
        return filter;
    }
};

TEST_F(DetectorTest, detections_come_best_first_and_as_many_as_wanted) {
    const Golden golden("yolos-nano");
    Detector detector = make(golden, Type::f32);
    detect(detector, golden.picture());
    const std::vector<Detection> all = detector.findings().detections(everything());
    ASSERT_EQ(all.size(), 12u);
    for (size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i - 1].score, all[i].score);

    DetectionFilter some;
    some.threshold = all[4].score;  // which is not above it
    EXPECT_EQ(detector.findings().detections(some).size(), 4u);
    some.most = 3;
    EXPECT_EQ(detector.findings().detections(some).size(), 3u);
    EXPECT_EQ(detector.findings().detections(some)[2].query, all[2].query);
    some.threshold = 0.999f;
    EXPECT_TRUE(detector.findings().detections(some).empty());

    DetectionFilter one = everything();
    one.classes = {all[0].id};
    const std::vector<Detection> same = detector.findings().detections(one);
    EXPECT_EQ(same.size(), size_t(std::ranges::count(all, all[0].id, &Detection::id)));
    for (const Detection& found : same) EXPECT_EQ(found.id, all[0].id);
}

TEST_F(DetectorTest, boxes_and_logits_agree_with_the_detections) {
    const Golden golden("yolos-nano");
    Detector detector = make(golden, Type::f32);
    const PpmPicture picture = cut(golden.picture(), 200, 90);
    detect(detector, picture);
    const Floats boxes = detector.findings().boxes(), logits = detector.findings().logits();
    const size_t columns = detector.labels().size() + 1;
    for (const Detection& found : detector.findings().detections(everything())) {
        const float* box = &boxes[found.query * 4];
        EXPECT_NEAR(found.box.min.x, (box[0] - box[2] / 2) * 200, 1e-3);
        EXPECT_NEAR(found.box.max.y, (box[1] + box[3] / 2) * 90, 1e-3);
        const float* row = &logits[found.query * columns];
        EXPECT_EQ(found.id, uint32_t(std::max_element(row, row + columns - 1) - row));
    }
    // The same rows are on the device, for drawing.
    const Floats rows = run([&](Commands&) { return detector.findings().found(); });
    const Detection best = detector.findings().detections(everything())[0];
    EXPECT_EQ(rows[best.query * 7 + 4], best.score);
    EXPECT_EQ(rows[best.query * 7 + 2], best.box.max.x);
}

TEST_F(DetectorTest, states_of_queries_are_there_for_who_keeps_them_and_change_nothing) {
    for (const char* name : {"yolos-nano", "detr-nano"}) {
        const Golden golden(name);
        Detector detector = make(golden, Type::f32);
        detect(detector, golden.picture());
        const Floats logits = detector.findings().logits(), boxes = detector.findings().boxes();
        EXPECT_TRUE(detector.findings().query_states().empty()) << "nobody has asked";
        DetectionTaps taps = look_at_all(detector);
        detect(detector, golden.picture(), taps);
        EXPECT_EQ(detector.findings().logits(), logits);
        EXPECT_EQ(detector.findings().boxes(), boxes);
        const Floats kept = run([&](Commands&) { return taps.decoder.hidden_states().at(0); });
        EXPECT_EQ(detector.findings().query_states(), kept);
        EXPECT_EQ(kept.size() % detector.model().queries(), 0u);
    }
}

TEST_F(DetectorTest, a_new_size_of_frame_gives_what_a_fresh_detector_gives) {
    for (const char* name : {"yolos-mid", "detr-thin"}) {
        SCOPED_TRACE(name);
        const Golden golden(name);
        const PpmPicture wide = golden.picture(), tall = cut(wide, 120, 290);
        Detector detector = make(golden, Type::f32);
        detect(detector, wide);
        const Floats first = detector.findings().logits();
        DetectionTaps taps = look_at_all(detector);
        detect(detector, tall, taps);
        const Floats second = detector.findings().logits();
        detect(detector, wide, taps);
        EXPECT_EQ(detector.findings().logits(), first) << "and a tap follows the size";

        Detector fresh = make(golden, Type::f32);
        detect(fresh, tall);
        EXPECT_EQ(second, fresh.findings().logits());
    }
}

TEST_F(DetectorTest, frames_are_made_ready_for_once) {
    const Golden golden("yolos-nano");
    Detector detector = make(golden, Type::f32);
    EXPECT_TRUE(detector.prepare({451, 300}));
    EXPECT_FALSE(detector.prepare({451, 300}));
    EXPECT_TRUE(detector.prepare({451, 300}, Size{128, 128}));
    EXPECT_EQ(detector.input().plan().width, 128u);
    EXPECT_EQ(detector.input().plan().height, 80u) << "floored to whole patches";
}

TEST_F(DetectorTest, a_point_looks_where_transformers_says) {
    const Golden golden("detr-thin");
    Detector detector = make(golden, Type::f32);
    DetectionTaps taps = look_at_all(detector);
    const PpmPicture picture = golden.picture();
    detect(detector, picture, taps);
    const uint32_t last = detector.model().encoder_layers() - 1;
    EXPECT_LT(relative_error(map_of(detector,
                                    [&](Commands& c) {
                                        return detector.look_from_point(
                                            c, taps, {last},
                                            glm::vec2(picture.width, picture.height) / 2.0f);
                                    }),
                             golden["encoder_attention_center"]),
              1e-4);
}

TEST_F(DetectorTest, a_query_of_detr_looks_where_transformers_says) {
    const Golden golden("detr-thin");
    Detector detector = make(golden, Type::f32);
    DetectionTaps taps = look_at_all(detector);
    detect(detector, golden.picture(), taps);
    const uint32_t last = detector.model().decoder_layers() - 1;
    Floats best, heads;
    for (uint32_t query : golden.best()) {
        const Floats map = map_of(detector, [&](Commands& c) {
            return detector.look_from_query(c, taps, {last}, query);
        });
        best.insert(best.end(), map.begin(), map.end());
    }
    EXPECT_LT(relative_error(best, golden["cross_attention_top5"]), 1e-4);
    for (uint32_t head = 0; head < 3; ++head) {
        const Floats map = map_of(detector, [&](Commands& c) {
            return detector.look_from_query(c, taps, {last, head}, 0);
        });
        heads.insert(heads.end(), map.begin(), map.end());
    }
    EXPECT_LT(relative_error(heads, golden["cross_attention_heads_q0"]), 1e-4);
}

TEST_F(DetectorTest, a_query_of_yolos_looks_from_its_detection_token) {
    const Golden golden("yolos-mid");
    Detector detector = make(golden, Type::f32);
    DetectionTaps taps = look_at_all(detector);
    detect(detector, golden.picture(), taps);
    const uint32_t last = detector.model().encoder_layers() - 1;
    const Floats rows = golden["attention_top5"];
    const TokenLayout tokens = detector.layout();
    const size_t keys = rows.size() / 5;
    EXPECT_EQ(keys, tokens.first_query + detector.model().queries());
    for (size_t i = 0; i < 5; ++i) {
        const auto begin = rows.begin() + std::ptrdiff_t(i * keys);
        const Floats row(begin, begin + std::ptrdiff_t(keys));
        EXPECT_LT(relative_error(map_of(detector,
                                        [&](Commands& c) {
                                            return detector.look_from_query(c, taps, {last},
                                                                            golden.best()[i]);
                                        }),
                                 cells(row, tokens)),
                  1e-4);
    }
    // A point stands for its patch.
    const Floats map = map_of(detector, [&](Commands& c) {
        return detector.look_from_point(c, taps, {0, 2}, {450, 299});
    });
    const Floats corner = rows_of(taps.encoder, 0, {tokens.first_cell + area(tokens.grid) - 1}, 2);
    EXPECT_EQ(map, cells(corner, tokens));
}

TEST_F(DetectorTest, what_nobody_kept_cannot_be_looked_at) {
    const Golden golden("detr-thin");
    Detector detector = make(golden, Type::f32);
    DetectionTaps taps;
    taps.decoder = Tap({1});
    detect(detector, golden.picture(), taps);
    begin();
    expect_says(error_of([&] { detector.look_from_query(commands, taps, {0}, 0); }), "layer 0");
    expect_says(error_of([&] {
                    detector.look_from_point(commands, taps, {1}, {0, 0});
                }),
                "layer 1");
    expect_says(error_of([&] { detector.look_from_query(commands, taps, {1}, 15); }), "query 15");
    expect_says(error_of([&] { detector.look_from_query(commands, taps, {1, 3}, 0); }), "head 3");
    finish();
}

TEST_F(DetectorTest, cells_of_yolos_are_its_patches) {
    Detector detector = make(Golden("yolos-mid"), Type::f32);
    detector.prepare({451, 300});  // becomes 112 x 80
    const MapGeometry map = detector.geometry();
    EXPECT_EQ(map.grid, (Size{7, 5}));
    EXPECT_FLOAT_EQ(map.corner.x, 0);
    EXPECT_FLOAT_EQ(map.corner.y, 0);
    EXPECT_FLOAT_EQ(map.cell.x, 451.0f / 7);
    EXPECT_FLOAT_EQ(map.cell.y, 60);
    const auto expect_cell = [&](float x, float y, uint32_t row, uint32_t column) {
        EXPECT_EQ(map.cell_at({x, y}).row, row) << x << ", " << y;
        EXPECT_EQ(map.cell_at({x, y}).column, column) << x << ", " << y;
    };
    expect_cell(0, 0, 0, 0);
    expect_cell(450.9f, 299.9f, 4, 6);
    expect_cell(65, 59, 0, 1);
    expect_cell(-100, 1000, 4, 0);  // the nearest
}

TEST_F(DetectorTest, cells_of_detr_are_centred_where_its_convolutions_are) {
    Detector detector = make(Golden("detr-thin"), Type::f32);
    detector.prepare({640, 480});  // becomes 200 x 150
    const MapGeometry map = detector.geometry();
    EXPECT_EQ(map.grid, (Size{7, 5}));
    EXPECT_FLOAT_EQ(map.cell.x, 32 * 3.2f);
    EXPECT_NEAR(map.corner.x + map.cell.x / 2, 0.5 * 3.2, 1e-3) << "the first, on the first pixel";
    EXPECT_NEAR(map.corner.y + map.cell.y * 2.5f, 64.5 * 3.2, 1e-3) << "the third, on pixel 64";
    // The middle of the frame is in the middle of the grid, whatever the sizes.
    for (Size frame : {Size{640, 480}, {480, 640}, {333, 77}, {1000, 1001}, {1, 1}}) {
        detector.prepare(frame);
        const MapGeometry other = detector.geometry();
        const auto [row, column] = other.cell_at(glm::vec2(frame) / 2.0f);
        EXPECT_EQ(row, other.grid.y / 2) << frame.x << "x" << frame.y;
        EXPECT_EQ(column, other.grid.x / 2) << frame.x << "x" << frame.y;
    }
}

// A pixel changes the cell that contains it most.
TEST_F(DetectorTest, a_pixel_shows_in_its_own_cell) {
    const Golden golden("detr-thin");
    Detector detector = make(golden, Type::f32);
    PpmPicture picture{400, 300, std::vector<uint8_t>(size_t(3) * 400 * 300, 60)};
    auto features = [&] {
        DetectionTaps taps;
        taps.encoder = Tap({}, true);
        detect(detector, picture, taps);
        return run([&](Commands&) { return taps.encoder.hidden_states().at(0); });
    };
    const Floats before = features();
    const MapGeometry map = detector.geometry();
    for (auto [x, y] : {std::pair{70u, 210u}, {330u, 64u}}) {
        for (uint32_t dy = 0; dy < 8; ++dy)
            for (uint32_t dx = 0; dx < 24; ++dx)
                picture.rgb[(size_t(y + dy) * 400 + x) * 3 + dx] = 255;
        const Floats after = features();
        const size_t dim = after.size() / area(map.grid);
        size_t most = 0;
        double largest = 0;
        for (size_t cell = 0; cell < area(map.grid); ++cell) {
            double change = 0;
            for (size_t i = cell * dim; i < (cell + 1) * dim; ++i)
                change += std::pow(double(after[i]) - double(before[i]), 2);
            if (change > largest) largest = change, most = cell;
        }
        const auto [row, column] = map.cell_at({float(x) + 4, float(y) + 4});
        EXPECT_EQ(most, row * map.grid.x + column) << x << ", " << y;
        std::ranges::fill(picture.rgb, uint8_t{60});
    }
}

TEST_F(DetectorTest, a_folder_loads_with_v5_tensor_names) {
    for (const char* name : {"detr-thin", "yolos-mid"}) {
        const Golden golden(name);
        Detector reference = make(golden, Type::f32);
        detect(reference, golden.picture());
        TempFolder temp;
        std::vector<std::vector<std::byte>> bytes;
        std::vector<StoredTensor> tensors;
        for (const Manifest::Entry& entry : golden.manifest.tensors) {
            bytes.push_back(synthetic_bytes(golden.manifest.seed, entry.name, entry.shape,
                                            golden.manifest.type));
            const std::vector<std::string> others = aliases(entry.name);
            tensors.push_back({others.empty() ? entry.name : others.front(), golden.manifest.type,
                               entry.shape, bytes.back()});
        }
        // Further tensors of a checkpoint are ignored.
        const std::vector<std::byte> steps(8);
        tensors.push_back(
            {"model.backbone.model.bn1.num_batches_tracked", StoredType::i64, {}, steps});
        write_safetensors(temp / "model.safetensors", tensors);
        for (const char* file : {"config.json", "preprocessor_config.json"})
            std::filesystem::copy_file(golden.folder / file, temp / file);
        Detector detector = Detector::open(device, temp.path(), Type::f32);
        detect(detector, golden.picture());
        EXPECT_EQ(detector.findings().logits(), reference.findings().logits());
        EXPECT_EQ(detector.unused().size(), 1u);
    }
}

TEST_F(DetectorTest, a_missing_tensor_is_named_with_its_file) {
    const Golden golden("detr-thin");
    const std::string name =
        "model.backbone.conv_encoder.model.encoder.stages.1.layers.0.layer.1.normalization.bias";
    Manifest manifest = golden.manifest;
    ASSERT_EQ(
        std::erase_if(manifest.tensors, [&](const auto& entry) { return entry.name == name; }), 1u);
    TempFolder temp;
    write_checkpoint(temp.path(), manifest);
    for (const char* file : {"config.json", "preprocessor_config.json"})
        std::filesystem::copy_file(golden.folder / file, temp / file);
    const std::string error = error_of([&] { Detector::open(device, temp.path(), Type::f32); });
    expect_says(error, name);
    expect_says(error, "model.safetensors");
}

TEST_F(DetectorTest, what_is_not_a_detector_is_refused_in_one_line) {
    auto says = [&](const std::filesystem::path& folder, std::string_view part) {
        expect_says(error_of([&] { Detector::open(device, folder, Type::f32); }), part);
    };
    TempFolder temp;
    says(temp.path(), "is not a model folder");
    says(temp / "nosuch", "is not a model folder");
    says(golden_folder() / "vit-nano", "'vit' is not a detector; supported: detr, yolos");
    temp.write("config.json", R"({"model_type": "resnet"})");
    says(temp.path(), "'resnet' is not supported; supported: ");
    temp.write("config.json", R"({"model_type": 7})");
    says(temp.path(), "model_type");
    temp.write("config.json", "not JSON");
    says(temp.path(), "config.json");
    // The other model.
    const Golden golden("yolos-nano");
    Json config = golden.config;
    config["model_type"] = "detr";
    config.erase("architectures");
    SyntheticWeights weights(golden.manifest);
    expect_says(error_of([&] {
                    Detector(device, config, "config.json", Preprocessor::read(golden.folder),
                             weights, Type::f32);
                }),
                "is missing");
}

}  // namespace
}  // namespace saccade
