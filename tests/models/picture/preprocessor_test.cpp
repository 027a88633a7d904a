#include "models/picture/preprocessor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "tests/golden_picture.h"
#include "tests/models/picture/preprocess_reference.h"
#include "tests/places.h"

namespace saccade {

namespace {

using Resize = Preprocessor::Resize;
using Three = std::array<double, 3>;
constexpr Three half{0.5, 0.5, 0.5};
constexpr Three imagenet_mean{0.485, 0.456, 0.406}, imagenet_std{0.229, 0.224, 0.225};
constexpr Three clip_mean{0.48145466, 0.4578275, 0.40821073};
constexpr Three clip_std{0.26862954, 0.26130258, 0.27577711};

Preprocessor parse(const char* text, const std::string& model_type = {}) {
    return Preprocessor::parse(nlohmann::json::parse(text), "folder/preprocessor_config.json",
                               model_type);
}

// The error must name the file and the problem, in one line.
void expect_refused(const char* text, const std::string& naming, const std::string& model = {}) {
    try {
        parse(text, model);
        ADD_FAILURE() << "accepted " << text;
    } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find("folder/preprocessor_config.json"), std::string::npos) << what;
        EXPECT_NE(what.find(naming), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        EXPECT_LT(what.size(), 400u) << what;
    }
}

Size resized(const Preprocessor& p, uint32_t width, uint32_t height) {
    return p.resized({width, height});
}

const Preprocessor detr = parse(R"({"image_processor_type": "DetrImageProcessor"})");
const Preprocessor yolos = parse(R"({"image_processor_type": "YolosImageProcessor"})");
const Preprocessor clip = parse(R"({"image_processor_type": "CLIPImageProcessor"})");
const Preprocessor vit = parse(R"({"image_processor_type": "ViTImageProcessor"})");

// ---- what transformers computed ----

struct Golden {
    const char* config;
    const char* picture;
    Size size;
    uint64_t levels;  // FNV-1a of the 8-bit levels of pixel_values, (height, width, 3)
    std::array<float, 3> first, last;  // pixel_values at the top left and bottom right
};

// transformers 5.17 with torchvision.
constexpr Golden goldens[] = {
    {R"({"image_processor_type": "ViTImageProcessor", "size": {"height": 64, "width": 64}})",
     "chelsea",
     {64, 64},
     0xdca878c40788af79u,
     {0.14509804546833038f, -0.03529411926865578f, -0.15294118225574493f},
     {0.3490196168422699f, 0.15294118225574493f, 0.10588235408067703f}},
    {R"({"image_processor_type": "ViTImageProcessor"})",
     "chelsea",
     {224, 224},
     0x7251f8099dca9d4bu,
     {0.12941177189350128f, -0.05098039284348488f, -0.1764705926179886f},
     {0.27843138575553894f, 0.09019608050584793f, 0.0117647061124444f}},
    {R"({"image_processor_type": "BlipImageProcessor", "size": {"height": 64, "width": 64}})",
     "chelsea",
     {64, 64},
     0xca0d0327753a8e08u,
     {0.32450926303863525f, 0.07885054498910904f, 0.04132728651165962f},
     {0.6894699335098267f, 0.4390369653701782f, 0.4963694214820862f}},
    {R"({"image_processor_type": "DetrImageProcessor",
         "size": {"shortest_edge": 160, "longest_edge": 266}})",
     "astronaut",
     {160, 160},
     0x94c97e6583f2fc3cu,
     {0.48505860567092896f, 0.5553221106529236f, 0.897080659866333f},
     {-2.015155553817749f, -1.9306721687316895f, -1.7172985076904297f}},
    {R"({"image_processor_type": "YolosImageProcessor",
         "size": {"shortest_edge": 96, "longest_edge": 160}})",
     "astronaut",
     {96, 96},
     0xb6b6f884f984d7bfu,
     {0.947426974773407f, 1.010504126548767f, 1.2630937099456787f},
     {-1.6384108066558838f, -1.5805320739746094f, -1.3861438035964966f}},
};

PpmPicture picture_of(const Golden& golden) { return read_golden_picture(golden.picture); }

TEST(Preprocessor, pixel_values_are_those_of_transformers) {
    for (const Golden& golden : goldens) {
        SCOPED_TRACE(golden.config);
        const PpmPicture picture = picture_of(golden);
        const PreprocessPlan plan = parse(golden.config).plan(picture.width, picture.height);
        ASSERT_EQ((Size{plan.width, plan.height}), golden.size);
        EXPECT_EQ(reference::fnv1a(reference::levels(plan, picture.rgb)), golden.levels);
        const std::vector<float> values = reference::pixel_values(plan, picture.rgb);
        const size_t pixels = size_t{plan.width} * plan.height;
        ASSERT_EQ(values.size(), 3 * pixels);
        for (size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(values[c * pixels], golden.first[c], 1e-6f);
            EXPECT_NEAR(values[(c + 1) * pixels - 1], golden.last[c], 1e-6f);
        }
    }
}

TEST(Preprocessor, pillows_rounding_differs_from_torchvisions_by_a_level_here_and_there) {
    for (const Golden& golden : goldens) {
        SCOPED_TRACE(golden.config);
        const PpmPicture picture = picture_of(golden);
        Preprocessor p = parse(golden.config);
        const auto ours = reference::levels(p.plan(picture.width, picture.height), picture.rgb);
        p.rounding = Rounding::pillow;
        const auto theirs = reference::levels(p.plan(picture.width, picture.height), picture.rgb);
        ASSERT_EQ(ours.size(), theirs.size());
        size_t different = 0;
        for (size_t i = 0; i < ours.size(); ++i) {
            ASSERT_LE(std::abs(ours[i] - theirs[i]), 1);
            different += ours[i] != theirs[i];
        }
        EXPECT_GT(different, 0u);
        EXPECT_LT(static_cast<double>(different), 0.01 * static_cast<double>(ours.size()));
    }
}

// ---- sizes ----

// Every pair of these, against transformers' own Python functions.
constexpr uint32_t lengths[] = {1,    2,    3,    7,    10,   16,   31,   47,   64,   99,   100,
                                101,  160,  224,  225,  240,  255,  256,  300,  320,  333,  400,
                                427,  451,  479,  480,  481,  500,  512,  533,  600,  640,  666,
                                667,  720,  768,  799,  800,  801,  853,  900,  960,  1000, 1024,
                                1066, 1080, 1200, 1280, 1333, 1334, 1340, 1440, 1600, 1706, 1920,
                                2000, 2160, 2666, 3000, 3840, 4000, 5000, 9000, 12000};

uint64_t hash_of_sizes(const char* config) {
    const Preprocessor p = parse(config);
    std::vector<uint8_t> bytes;
    for (uint32_t width : lengths)
        for (uint32_t height : lengths) {
            const Size size = resized(p, width, height);
            for (uint32_t side : {size.x, size.y})
                for (int shift = 0; shift < 32; shift += 8)
                    bytes.push_back(static_cast<uint8_t>(side >> shift));
        }
    return reference::fnv1a(bytes);
}

TEST(Preprocessor, sizes_are_those_of_transformers_for_four_thousand_frames) {
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "DetrImageProcessor"})"),
              0xdb7264b078981579u);
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "DetrImageProcessor",
                                "size": {"shortest_edge": 160, "longest_edge": 266}})"),
              0xced2c2e440691a71u);
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "YolosImageProcessor"})"),
              0x5e9d1b6901b37b37u);
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "YolosImageProcessor",
                                "size": {"shortest_edge": 512, "longest_edge": 1333}})"),
              0xcb8e24849b39ba97u);
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "CLIPImageProcessor"})"),
              0x92419a995dd13bc5u);
    EXPECT_EQ(hash_of_sizes(R"({"image_processor_type": "DetrImageProcessor",
                                "size": {"max_height": 600, "max_width": 1000}})"),
              0x6950bb55d53a2d9fu);
}

TEST(Preprocessor, detr_brings_the_short_side_to_800_and_truncates_the_long_one) {
    EXPECT_EQ(resized(detr, 640, 480), (Size{1066, 800}));
    EXPECT_EQ(resized(detr, 480, 640), (Size{800, 1066}));
    EXPECT_EQ(resized(detr, 500, 500), (Size{800, 800}));
}

TEST(Preprocessor, detr_holds_the_long_side_to_1333_and_rounds_half_to_even) {
    // 1333 / 2 = 666.5 is rounded to 666, but the long side is computed from 666.5.
    EXPECT_EQ(resized(detr, 2000, 1000), (Size{1333, 666}));
    EXPECT_EQ(resized(detr, 1000, 2000), (Size{666, 1333}));
}

TEST(Preprocessor, detr_leaves_a_frame_whose_short_side_is_right) {
    EXPECT_EQ(resized(detr, 1000, 800), (Size{1000, 800}));
    // The rule comes first, so this one keeps a long side over the limit, as in transformers.
    EXPECT_EQ(resized(detr, 10, 1340), (Size{10, 1340}));
}

TEST(Preprocessor, yolos_floors_both_sides_to_a_multiple_of_16) {
    EXPECT_EQ(resized(yolos, 640, 480), (Size{1056, 800}));
    const Preprocessor tiny = parse(R"({"image_processor_type": "YolosImageProcessor",
                                        "size": {"shortest_edge": 512, "longest_edge": 1333}})");
    EXPECT_EQ(resized(tiny, 640, 480), (Size{672, 512}));
    EXPECT_EQ(resized(tiny, 480, 640), (Size{512, 672}));
    EXPECT_EQ(resized(tiny, 600, 400), (Size{768, 512}));
}

TEST(Preprocessor, yolos_keeps_a_fixed_size_as_it_is) {
    const Preprocessor fixed = parse(R"({"image_processor_type": "YolosImageProcessor",
                                         "size": {"height": 100, "width": 250}})");
    EXPECT_EQ(resized(fixed, 640, 480), (Size{250, 100}));
}

TEST(Preprocessor, clip_brings_the_short_side_to_224_and_cuts_the_middle_out) {
    const PreprocessPlan plan = clip.plan(640, 480);
    EXPECT_EQ(plan.resized_width, 298u);
    EXPECT_EQ(plan.resized_height, 224u);
    EXPECT_EQ(plan.width, 224u);
    EXPECT_EQ(plan.height, 224u);
    EXPECT_EQ(plan.crop_left, 37);
    EXPECT_EQ(plan.crop_top, 0);
    EXPECT_EQ(plan.horizontal.out_size, 224u);
    EXPECT_EQ(plan.vertical.out_size, 224u);
}

TEST(Preprocessor, an_odd_pixel_of_a_centre_crop_is_left_over_on_the_far_side) {
    const Preprocessor p = parse(R"({"image_processor_type": "CLIPImageProcessor",
                                     "do_resize": false, "crop_size": 4})");
    EXPECT_EQ(p.plan(7, 9).crop_left, 1);
    EXPECT_EQ(p.plan(7, 9).crop_top, 2);
    Preprocessor of_timm = p;  // half a pixel goes to the even one
    of_timm.crop_to_even = true;
    EXPECT_EQ(of_timm.plan(7, 9).crop_left, 2);
    EXPECT_EQ(of_timm.plan(7, 9).crop_top, 2);
}

TEST(Preprocessor, a_crop_larger_than_the_frame_pads_with_black_before_it_normalises) {
    const Preprocessor p = parse(R"({"image_processor_type": "ViTImageProcessor",
                                     "do_resize": false, "do_center_crop": true,
                                     "crop_size": {"height": 2, "width": 5}})");
    const PreprocessPlan plan = p.plan(2, 3);
    EXPECT_EQ(plan.crop_left, -1);  // 1 before, 2 behind
    EXPECT_EQ(plan.crop_top, 0);
    const auto levels = reference::levels(plan, std::vector<uint8_t>(2 * 3 * 3, 200));
    const auto values = reference::pixel_values(plan, std::vector<uint8_t>(2 * 3 * 3, 200));
    for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 5; ++x) {
            const bool inside = x == 1 || x == 2;
            EXPECT_EQ(levels[(y * 5 + x) * 3], inside ? 200 : 0);
            EXPECT_FLOAT_EQ(values[y * 5 + x], inside ? 200.f / 127.5f - 1.f : -1.f);
        }
}

TEST(Preprocessor, no_frame_makes_an_empty_side) {
    EXPECT_EQ(resized(vit, 1, 1), (Size{224, 224}));
    EXPECT_EQ(resized(detr, 1, 1), (Size{800, 800}));
    EXPECT_EQ(resized(detr, 1, 5000), (Size{1, 1333}));
    EXPECT_EQ(resized(detr, 5000, 1), (Size{1333, 1}));
    EXPECT_EQ(resized(yolos, 1, 1), (Size{800, 800}));
    EXPECT_EQ(resized(yolos, 1, 5000), (Size{16, 1328}));
    EXPECT_EQ(resized(yolos, 5000, 1), (Size{1328, 16}));
    const Preprocessor box = parse(R"({"image_processor_type": "DetrImageProcessor",
                                       "size": {"max_height": 600, "max_width": 1000}})");
    EXPECT_EQ(resized(box, 1, 5000), (Size{1, 600}));
}

TEST(Preprocessor, extreme_frames_get_sound_plans) {
    for (const Preprocessor* p : {&vit, &detr, &yolos, &clip})
        for (Size frame :
             {Size{1, 1}, Size{12000, 9000}, Size{1, 5000}, Size{5000, 1}, Size{32768, 3}}) {
            const PreprocessPlan plan = p->plan(frame.x, frame.y);
            ASSERT_GE(plan.width, 1u);
            ASSERT_GE(plan.height, 1u);
            ASSERT_EQ(plan.horizontal.out_size, plan.width);
            ASSERT_EQ(plan.vertical.out_size, plan.height);
            for (uint32_t i = 0; i < plan.width; ++i)
                ASSERT_LE(plan.horizontal.first[i] + plan.horizontal.count[i], frame.x);
            for (uint32_t i = 0; i < plan.height; ++i)
                ASSERT_LE(plan.vertical.first[i] + plan.vertical.count[i], frame.y);
        }
}

TEST(Preprocessor, frames_without_pixels_or_beyond_reason_are_errors) {
    EXPECT_THROW(vit.plan(0, 10), Error);
    EXPECT_THROW(vit.plan(10, 0), Error);
    EXPECT_THROW(vit.plan(32769, 10), Error);
    EXPECT_THROW(vit.plan(10, UINT32_MAX), Error);
    const Preprocessor no_limit = parse(R"({"image_processor_type": "CLIPImageProcessor",
                                            "do_center_crop": false})");
    EXPECT_NO_THROW(no_limit.plan(5000, 100));
    EXPECT_THROW(no_limit.plan(5000, 1), Error);  // 1,120,000 pixels long
}

// ---- --size ----

TEST(Preprocessor, a_size_option_is_a_box_that_the_frame_fits_into) {
    EXPECT_EQ(detr.resized({1280, 720}, Size{640, 640}), (Size{640, 360}));
    EXPECT_EQ(detr.resized({720, 1280}, Size{640, 640}), (Size{360, 640}));
    EXPECT_EQ(detr.resized({320, 240}, Size{640, 480}), (Size{640, 480}));
    EXPECT_EQ(detr.resized({100, 80}, Size{200, 100}), (Size{125, 100})) << "a wider box";
    const PreprocessPlan plan = detr.plan(1280, 720, Size{640, 640});
    EXPECT_EQ(plan.width, 640u);
    EXPECT_EQ(plan.height, 360u);
}

TEST(Preprocessor, the_side_that_touches_the_size_option_has_exactly_its_length) {
    for (uint32_t width = 1; width < 3000; ++width)
        ASSERT_EQ(detr.resized({width, 1}, Size{641, 641}).x, 641u);
}

TEST(Preprocessor, a_size_option_keeps_yolos_multiple) {
    EXPECT_EQ(yolos.resized({1280, 720}, Size{650, 650}), (Size{640, 352}));
    EXPECT_EQ(yolos.resized({1280, 720}, Size{8, 8}), (Size{16, 16}));
}

TEST(Preprocessor, models_of_one_input_size_refuse_a_size_option) {
    EXPECT_THROW(vit.plan(640, 480, Size{320, 320}), Error);
    EXPECT_THROW(clip.plan(640, 480, Size{320, 320}), Error);
    EXPECT_THROW(detr.plan(640, 480, Size{0, 320}), Error);
    EXPECT_THROW(detr.plan(640, 480, Size{320, 40000}), Error);
    const Preprocessor as_is =
        parse(R"({"image_processor_type": "DetrImageProcessor", "do_resize": false})");
    EXPECT_THROW(as_is.plan(640, 480, Size{320, 320}), Error);
}

TEST(Preprocessor, knows_whether_its_output_has_one_size) {
    EXPECT_EQ(vit.fixed_size(), (Size{224, 224}));
    EXPECT_EQ(clip.fixed_size(), (Size{224, 224}));
    EXPECT_EQ(detr.fixed_size(), std::nullopt);
    EXPECT_EQ(yolos.fixed_size(), std::nullopt);
}

// ---- the arithmetic ----

TEST(Preprocessor, rescale_and_normalise_fold_into_one_multiplication) {
    const PreprocessPlan plan = detr.plan(8, 8);
    for (size_t c = 0; c < 3; ++c)
        for (int level : {0, 1, 127, 255}) {
            const double want = (level / 255.0 - imagenet_mean[c]) / imagenet_std[c];
            EXPECT_NEAR(static_cast<float>(level) * plan.scale[c] + plan.shift[c], want, 1e-6);
        }
}

TEST(Preprocessor, rescale_and_normalise_can_each_be_off) {
    const PreprocessPlan neither = parse(R"({"image_processor_type": "ViTImageProcessor",
        "do_rescale": false, "do_normalize": false})")
                                       .plan(8, 8);
    EXPECT_EQ(neither.scale[1], 1.f);
    EXPECT_EQ(neither.shift[1], 0.f);
    const PreprocessPlan rescaled = parse(R"({"image_processor_type": "ViTImageProcessor",
        "do_normalize": false, "rescale_factor": 0.25})")
                                        .plan(8, 8);
    EXPECT_EQ(rescaled.scale[1], 0.25f);
    EXPECT_EQ(rescaled.shift[1], 0.f);
    const PreprocessPlan normalised = parse(R"({"image_processor_type": "ViTImageProcessor",
        "do_rescale": false, "image_mean": 128, "image_std": [2, 4, 8]})")
                                          .plan(8, 8);
    EXPECT_EQ(normalised.scale, (std::array<float, 3>{0.5f, 0.25f, 0.125f}));
    EXPECT_EQ(normalised.shift, (std::array<float, 3>{-64.f, -32.f, -16.f}));
}

// ---- files ----

TEST(Preprocessor, silent_files_mean_their_classs_defaults) {
    EXPECT_EQ(vit.type, "ViT");
    EXPECT_EQ(vit.resize, Resize::fixed);
    EXPECT_EQ(vit.size, (Size{224, 224}));
    EXPECT_EQ(vit.filter, Filter::bilinear);
    EXPECT_EQ(vit.crop, std::nullopt);
    EXPECT_EQ(vit.mean, half);
    EXPECT_EQ(vit.std_dev, half);
    EXPECT_EQ(vit.rescale_factor, 1.0 / 255.0);

    const Preprocessor deit = parse(R"({"image_processor_type": "DeiTImageProcessor"})");
    EXPECT_EQ(deit.resize, Resize::fixed);
    EXPECT_EQ(deit.size, (Size{256, 256}));
    EXPECT_EQ(deit.filter, Filter::bicubic);
    EXPECT_EQ(deit.crop, (Size{224, 224}));
    EXPECT_EQ(deit.mean, half);
    EXPECT_EQ(deit.plan(640, 480).crop_left, 16);

    const Preprocessor blip = parse(R"({"image_processor_type": "BlipImageProcessor"})");
    EXPECT_EQ(blip.resize, Resize::fixed);
    EXPECT_EQ(blip.size, (Size{384, 384}));
    EXPECT_EQ(blip.filter, Filter::bicubic);
    EXPECT_EQ(blip.crop, std::nullopt);
    EXPECT_EQ(blip.mean, clip_mean);
    EXPECT_EQ(blip.std_dev, clip_std);

    EXPECT_EQ(clip.resize, Resize::edges);
    EXPECT_EQ(clip.shortest_edge, 224u);
    EXPECT_EQ(clip.longest_edge, 0u);
    EXPECT_EQ(clip.filter, Filter::bicubic);
    EXPECT_EQ(clip.crop, (Size{224, 224}));
    EXPECT_EQ(clip.mean, clip_mean);

    for (const Preprocessor* p : {&detr, &yolos}) {
        EXPECT_EQ(p->resize, Resize::edges);
        EXPECT_EQ(p->shortest_edge, 800u);
        EXPECT_EQ(p->longest_edge, 1333u);
        EXPECT_EQ(p->filter, Filter::bilinear);
        EXPECT_EQ(p->crop, std::nullopt);
        EXPECT_EQ(p->mean, imagenet_mean);
        EXPECT_EQ(p->std_dev, imagenet_std);
    }
    EXPECT_EQ(detr.multiple, 1u);
    EXPECT_EQ(yolos.multiple, 16u);

    for (const char* exact : {"DINOv3ViT", "RfDetr"})
        EXPECT_EQ(parse((R"({"image_processor_type": ")" + std::string(exact) + "ImageProcessor\"}")
                            .c_str())
                      .rounding,
                  Rounding::pillow)
            << "the finer weights";
}

TEST(Preprocessor, tiles_make_an_odd_short_side_even) {
    const Preprocessor smol = parse(R"({"image_processor_type": "SmolVLMImageProcessor"})");
    EXPECT_EQ(smol.tiling({1000, 667}).first, (Size{1456, 972})) << "971 before";
    EXPECT_EQ(smol.tiling({667, 1000}).first, (Size{972, 1456}));
}

TEST(Preprocessor, owlv2_blurs_in_both_directions_or_in_none) {
    const Preprocessor p = parse(R"({"image_processor_type": "Owlv2ImageProcessor",
                                     "do_pad": false, "size": {"height": 96, "width": 96}})");
    const PreprocessPlan wide = p.plan(480, 96);
    EXPECT_LE(wide.horizontal.max_taps, 2u);
    EXPECT_LE(wide.vertical.max_taps, 2u) << "96 to 96";
    EXPECT_GT(p.plan(480, 192).horizontal.max_taps, 2u);
}

TEST(Preprocessor, siglip_2_takes_the_largest_scale_at_which_its_patches_suffice) {
    const Preprocessor p = parse(R"({"image_processor_type": "Siglip2ImageProcessor"})");
    for (uint32_t width = 90; width < 2000; width += 97)
        for (uint32_t height = 110; height < 2000; height += 103) {
            // The number of patches only changes where a side is a whole number of them.
            Size best{};
            double most = 0;
            auto count = [](double scale, uint32_t side) {
                return static_cast<uint32_t>(std::ceil(side * scale / 16 - 1e-9));
            };
            for (uint32_t side : {width, height})
                for (uint32_t patches = 1; patches <= 256; ++patches) {
                    const double scale = 16.0 * patches / side;
                    const Size size{count(scale, width), count(scale, height)};
                    if (size.x * size.y > 256 || scale <= most) continue;
                    most = scale;
                    best = size;
                }
            EXPECT_EQ(p.resized({width, height}), best * 16u) << width << " x " << height;
        }
}

TEST(Preprocessor, a_class_goes_by_many_names) {
    for (const char* name : {"ViTImageProcessor", "ViTImageProcessorFast", "ViTImageProcessorPil",
                             "ViTFeatureExtractor"}) {
        const nlohmann::json file = {{"image_processor_type", name}};
        EXPECT_EQ(Preprocessor::parse(file, "f").type, "ViT") << name;
    }
    EXPECT_EQ(parse(R"({"feature_extractor_type": "YolosFeatureExtractor"})").type, "Yolos");
    EXPECT_EQ(parse(R"({"processor_class": "GitProcessor"})").type, "CLIP");
    EXPECT_EQ(parse(R"({"processor_class": "BlipProcessor"})").type, "Blip");
    EXPECT_EQ(parse(R"({"image_processor_type": "CLIPImageProcessor",
                        "processor_class": "GitProcessor"})")
                  .type,
              "CLIP");
}

TEST(Preprocessor, old_files_that_name_no_class_are_of_the_one_they_are_said_to_be) {
    const char* text = R"({"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5],
                           "image_std": [0.5, 0.5, 0.5], "size": 224})";
    EXPECT_EQ(parse(text, "ViT").type, "ViT");
    EXPECT_EQ(parse(text, "ViT").size, (Size{224, 224}));
    EXPECT_EQ(parse(text, "DeiT").crop, (Size{224, 224}));
    EXPECT_EQ(parse(text, "CLIP").shortest_edge, 224u);
    EXPECT_EQ(parse(text, "Yolos").multiple, 16u);
    EXPECT_EQ(parse(text, "Detr").longest_edge, 1333u);
    expect_refused(text, "image_processor_type");
}

TEST(Preprocessor, an_integer_size_is_a_square_or_the_shortest_edge_by_class) {
    EXPECT_EQ(parse(R"({"feature_extractor_type": "ViTFeatureExtractor", "size": 384})").size,
              (Size{384, 384}));
    EXPECT_EQ(parse(R"({"feature_extractor_type": "DeiTFeatureExtractor", "size": 300,
                        "crop_size": 280})")
                  .crop,
              (Size{280, 280}));
    const Preprocessor old_detr = parse(R"({"feature_extractor_type": "DetrFeatureExtractor",
        "size": 600, "max_size": 1000, "format": "coco_detection"})");
    EXPECT_EQ(old_detr.resize, Resize::edges);
    EXPECT_EQ(old_detr.shortest_edge, 600u);
    EXPECT_EQ(old_detr.longest_edge, 1000u);
    EXPECT_EQ(
        parse(R"({"feature_extractor_type": "DetrFeatureExtractor", "size": 600})").longest_edge,
        1333u);
    const Preprocessor old_clip = parse(R"({"feature_extractor_type": "CLIPFeatureExtractor",
        "size": 336, "crop_size": 336, "do_center_crop": true, "resample": 3})");
    EXPECT_EQ(old_clip.resize, Resize::edges);
    EXPECT_EQ(old_clip.shortest_edge, 336u);
    EXPECT_EQ(old_clip.longest_edge, 0u);
    EXPECT_EQ(old_clip.crop, (Size{336, 336}));
}

TEST(Preprocessor, sizes_come_in_every_form) {
    const Preprocessor fixed = parse(
        R"({"image_processor_type": "ViTImageProcessor", "size": {"height": 3, "width": 5}})");
    EXPECT_EQ(fixed.size, (Size{5, 3}));
    EXPECT_EQ(parse(R"({"image_processor_type": "ViTImageProcessor", "size": [3, 5]})").size,
              (Size{5, 3}));
    const Preprocessor edges = parse(R"({"image_processor_type": "ViTImageProcessor",
        "size": {"shortest_edge": 3, "longest_edge": 5, "height": null, "width": null}})");
    EXPECT_EQ(edges.resize, Resize::edges);
    EXPECT_EQ(edges.shortest_edge, 3u);
    EXPECT_EQ(edges.longest_edge, 5u);
    EXPECT_EQ(parse(R"({"image_processor_type": "DetrImageProcessor",
                        "size": {"shortest_edge": 3}})")
                  .longest_edge,
              0u);
    EXPECT_EQ(parse(R"({"image_processor_type": "CLIPImageProcessor",
                        "crop_size": {"height": 3, "width": 5}})")
                  .crop,
              (Size{5, 3}));
    EXPECT_EQ(parse(R"({"image_processor_type": "ViTImageProcessor", "size": 9,
                        "default_to_square": false})")
                  .shortest_edge,
              9u);
}

TEST(Preprocessor, nulls_are_off_for_switches_and_absent_for_values) {
    const Preprocessor p = parse(R"({"image_processor_type": "CLIPImageProcessorFast",
        "crop_size": null, "do_center_crop": null, "size": null, "resample": null, "device": null,
        "image_mean": null, "rescale_factor": null, "pad_size": null, "do_pad": null,
        "return_tensors": null, "data_format": "channels_first"})");
    EXPECT_EQ(p.crop, std::nullopt);
    EXPECT_EQ(p.shortest_edge, 224u);
    EXPECT_EQ(p.filter, Filter::bicubic);
    EXPECT_EQ(p.mean, clip_mean);
    EXPECT_EQ(p.rescale_factor, 1.0 / 255.0);
}

TEST(Preprocessor, what_does_not_concern_one_rgb_frame_is_passed_over) {
    EXPECT_NO_THROW(parse(R"({"image_processor_type": "DetrImageProcessor", "do_pad": true,
        "do_convert_annotations": true, "do_convert_rgb": true, "format": "coco_detection",
        "do_center_crop": true, "do_flip_channel_order": false, "pad_and_return_pixel_mask": true,
        "anything_else": {"nested": [1, 2]}})"));
}

TEST(Preprocessor, unsupported_processors_and_options_are_named) {
    expect_refused(R"({"image_processor_type": "ConvNextImageProcessor"})", "ConvNext");
    expect_refused(R"({"feature_extractor_type": "Wav2Vec2FeatureExtractor"})", "Wav2Vec2");
    expect_refused(
        R"({"image_processor_type": "ViTImageProcessor", "do_flip_channel_order": true})",
        "do_flip_channel_order");
    expect_refused(R"({"image_processor_type": "ViTImageProcessor", "do_thumbnail": true})",
                   "do_thumbnail");
    // The error has one line for any file name.
    expect_refused(R"({"image_processor_type": "ViTImageProcessor", "do_thumb\nnail": true})",
                   "'do_thumb\\x0anail' is true");
    expect_refused(R"({"image_processor_type": "CLIPImageProcessor", "use_square_size": true})",
                   "use_square_size");
    expect_refused(R"({"image_processor_type": "DetrImageProcessor",
                       "pad_size": {"height": 800, "width": 800}})",
                   "pad_size");
    expect_refused(R"({"image_processor_type": "ViTImageProcessor", "resample": 6})", "resample");
    expect_refused(R"({"image_processor_type": "ViTImageProcessor", "resample": -1})", "resample");
    expect_refused(R"({"image_processor_type": "ViTImageProcessor", "resample": "bilinear"})",
                   "resample");
}

TEST(Preprocessor, broken_files_are_refused_with_the_reason) {
    auto vit_with = [](const char* rest) {
        return R"({"image_processor_type": "ViTImageProcessor", )" + std::string(rest) + "}";
    };
    struct {
        const char *rest, *naming;
    } const cases[] = {
        {R"("size": 0)", "size"},
        {R"("size": -224)", "size"},
        {R"("size": 224.5)", "size"},
        {R"("size": 1000000000)", "size"},
        {R"("size": 18446744073709551615)", "size"},
        {R"("size": "224")", "size"},
        {R"("size": true)", "size"},
        {R"("size": [224])", "size"},
        {R"("size": [224, 0])", "size"},
        {R"("size": {})", "size"},
        {R"("size": {"height": 224})", "size"},
        {R"("size": {"longest_edge": 224})", "size"},
        {R"("size": {"height": 224, "width": 224, "shortest_edge": 224})", "size"},
        {R"("size": {"height": 224, "width": "wide"})", "width"},
        {R"("size": {"shortest_edge": 0})", "shortest_edge"},
        {R"("do_center_crop": true)", "crop_size"},
        {R"("do_center_crop": true, "crop_size": {"shortest_edge": 3})", "crop_size"},
        {R"("do_center_crop": true, "crop_size": 0)", "crop_size"},
        {R"("do_resize": "yes")", "do_resize"},
        {R"("do_rescale": 1)", "do_rescale"},
        {R"("rescale_factor": 0)", "rescale_factor"},
        {R"("rescale_factor": "1/255")", "rescale_factor"},
        {R"("rescale_factor": 1e300)", "rescale_factor"},
        {R"("image_mean": [0.5, 0.5])", "image_mean"},
        {R"("image_mean": [0.5, 0.5, 0.5, 0.5])", "image_mean"},
        {R"("image_mean": [0.5, 0.5, "half"])", "image_mean"},
        {R"("image_mean": {})", "image_mean"},
        {R"("image_std": [0.5, 0, 0.5])", "image_std"},
        {R"("image_std": 0)", "image_std"},
        {R"("image_std": 1e-300)", "image_std"},
        {R"("image_mean": [1e300, 0, 0])", "image_std"},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.rest);
        expect_refused(vit_with(c.rest).c_str(), c.naming);
    }
    expect_refused("[]", "");
    expect_refused("null", "");
    expect_refused("3", "");
    expect_refused("{}", "image_processor_type");
    expect_refused(R"({"image_processor_type": 7})", "image_processor_type");
}

// ---- folders ----

class PreprocessorFolder : public testing::Test {
protected:
    PreprocessorFolder() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) /
                  (std::string("saccade_preprocessor_") + test->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    ~PreprocessorFolder() override { std::filesystem::remove_all(folder_); }

    void write(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }

    std::string error() {
        try {
            Preprocessor::read(folder_);
        } catch (const Error& e) {
            return e.what();
        }
        return "no error";
    }

    std::filesystem::path folder_;
};

TEST_F(PreprocessorFolder, is_read_from_preprocessor_config) {
    write("preprocessor_config.json",
          R"({"image_processor_type": "ViTImageProcessor", "size": {"height": 3, "width": 5}})");
    EXPECT_EQ(Preprocessor::read(folder_).size, (Size{5, 3}));
}

TEST_F(PreprocessorFolder, nested_image_processor_of_version_5_wins) {
    write("processor_config.json",
          R"({"image_processor": {"image_processor_type": "BlipImageProcessor"},
              "processor_class": "BlipProcessor"})");
    EXPECT_EQ(Preprocessor::read(folder_).type, "Blip");
    write("preprocessor_config.json", R"({"image_processor_type": "ViTImageProcessor"})");
    EXPECT_EQ(Preprocessor::read(folder_).type, "Blip");
}

TEST_F(PreprocessorFolder, processor_config_without_an_image_processor_is_passed_over) {
    write("processor_config.json", R"({"processor_class": "BlipProcessor"})");
    write("preprocessor_config.json", R"({"image_processor_type": "ViTImageProcessor"})");
    EXPECT_EQ(Preprocessor::read(folder_).type, "ViT");
}

TEST_F(PreprocessorFolder, without_a_file_is_an_error_that_names_it) {
    EXPECT_NE(error().find("preprocessor_config.json"), std::string::npos) << error();
}

TEST_F(PreprocessorFolder, with_a_broken_file_is_an_error_that_names_it) {
    for (const char* text : {"", "{", "{\"size\": NaN}", "not json", "\xff\xfe", "[1, 2]"}) {
        write("preprocessor_config.json", text);
        EXPECT_NE(error().find("preprocessor_config.json"), std::string::npos) << error();
    }
    write("processor_config.json", R"({"image_processor": []})");
    EXPECT_NE(error().find("processor_config.json: image_processor"), std::string::npos) << error();
}

}  // namespace
}  // namespace saccade
