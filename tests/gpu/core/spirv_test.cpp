#include "gpu/core/spirv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "gpu/core/error.h"
#include "shaders/embedded.h"
#include "shaders/params.h"

namespace saccade {
namespace {

using enum Reflection::Binding;

struct Interface {
    std::vector<Reflection::Binding> bindings;
    size_t params_bytes;
};

// What the operations of gpu/ops give to each shader. A new shader gets its line here.
const std::map<std::string, Interface, std::less<>> interfaces = {
    {"add", {{buffer, buffer, buffer}, sizeof(params::AddParams)}},
    {"add_column", {{buffer, buffer}, sizeof(params::AddColumnParams)}},
    {"add_enlarged", {{buffer, buffer, buffer}, sizeof(params::AddEnlargedParams)}},
    {"additive_attention",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::AdditiveAttentionParams)}},
    {"additive_map", {{buffer, buffer, buffer, buffer}, sizeof(params::AdditiveMapParams)}},
    {"attention", {{buffer, buffer, buffer, buffer}, sizeof(params::AttentionParams)}},
    {"attention.coopmat",
     {{buffer, buffer, buffer, buffer},
      sizeof(params::AttentionParams) + sizeof(params::AttentionAddresses)}},
    {"attention.tiled", {{buffer, buffer, buffer, buffer}, sizeof(params::AttentionParams)}},
    {"attention_map", {{buffer, buffer, buffer}, sizeof(params::AttentionMapParams)}},
    {"avg_pool", {{buffer, buffer}, sizeof(params::AvgPoolParams)}},
    {"best_queries", {{buffer, buffer}, sizeof(params::BestQueriesParams)}},
    {"box_plates", {{buffer, buffer, buffer, buffer}, sizeof(params::BoxPlatesParams)}},
    {"chain", {{buffer, buffer, buffer}, sizeof(params::ChainParams)}},
    {"choose_beams",
     {{buffer, buffer, buffer, buffer, buffer, buffer, buffer, buffer},
      sizeof(params::ChooseBeamsParams)}},
    {"class_plates", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::ClassPlatesParams)}},
    {"conv2d", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::Conv2dParams)}},
    {"conv2d.coopmat",
     {{buffer, buffer, buffer, buffer, buffer, buffer, buffer},
      sizeof(params::Conv2dParams) + sizeof(params::ProductAddresses)}},
    {"conv2d.tiled",
     {{buffer, buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::Conv2dParams)}},
    {"copy", {{buffer, buffer}, sizeof(params::CopyParams)}},
    {"cosines", {{buffer, buffer}, sizeof(params::CosinesParams)}},
    {"deformable", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::DeformableParams)}},
    {"depthwise", {{buffer, buffer, buffer, buffer}, sizeof(params::DepthwiseParams)}},
    {"detections", {{buffer, buffer, buffer}, sizeof(params::DetectionsParams)}},
    {"draw_colours", {{image, buffer, buffer}, sizeof(params::DrawColoursParams)}},
    {"draw_heat", {{image, image, buffer, buffer, buffer, buffer}, sizeof(params::DrawHeatParams)}},
    {"draw_masks",
     {{image, buffer, buffer, buffer, buffer, buffer}, sizeof(params::DrawMasksParams)}},
    {"draw_plates", {{image, buffer, buffer, buffer, buffer}, sizeof(params::DrawPlatesParams)}},
    {"edge_boxes",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::EdgeBoxesParams)}},
    {"embedding", {{buffer, buffer, buffer, buffer}, sizeof(params::EmbeddingParams)}},
    {"enlarge", {{buffer, buffer}, sizeof(params::AddEnlargedParams)}},
    {"fit_range", {{buffer, buffer}, sizeof(params::FitRangeParams)}},
    {"fragments.coopmat", {{buffer, buffer}, sizeof(params::FragmentsParams)}},
    {"gated_add", {{buffer, buffer, buffer}, sizeof(params::GatedAddParams)}},
    {"gate", {{buffer, buffer}, sizeof(params::GateParams)}},
    {"gather", {{buffer, buffer, buffer}, sizeof(params::GatherParams)}},
    {"gather_rows", {{buffer, buffer, buffer}, sizeof(params::GatherRowsParams)}},
    {"gauge", {{buffer, buffer}, sizeof(params::GaugeParams)}},
    {"group_norm", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::GroupNormParams)}},
    {"group_norm.statistics", {{buffer, buffer}, sizeof(params::GroupNormParams)}},
    {"heat_levels", {{buffer, buffer, buffer}, sizeof(params::HeatLevelsParams)}},
    {"joint_attention", {{buffer, buffer, buffer}, sizeof(params::JointAttentionParams)}},
    {"layer_norm", {{buffer, buffer, buffer, buffer}, sizeof(params::LayerNormParams)}},
    {"letterbox", {{image, image}, sizeof(params::LetterboxParams)}},
    {"linear", {{buffer, buffer, buffer, buffer}, sizeof(params::LinearParams)}},
    {"linear.coopmat",
     {{buffer, buffer, buffer, buffer, buffer, buffer, buffer, buffer},
      sizeof(params::LinearParams) + sizeof(params::ProductAddresses) + sizeof(float)}},
    {"linear.tiled",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::LinearParams)}},
    {"lstm_cell", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::LstmCellParams)}},
    {"matches", {{buffer, buffer, buffer}, sizeof(params::MatchesParams)}},
    {"max_pool", {{buffer, buffer}, sizeof(params::MaxPoolParams)}},
    {"multiply", {{buffer, buffer, buffer}, sizeof(params::MultiplyParams)}},
    {"norm_activate",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::NormActivateParams)}},
    {"mean_rows", {{buffer, buffer}, sizeof(params::MeanRowsParams)}},
    {"merge_patches", {{buffer, buffer}, sizeof(params::MergePatchesParams)}},
    {"norm_add", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::NormAddParams)}},
    {"norm_linear",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::NormLinearParams)}},
    {"pack", {{image, buffer}, sizeof(params::PackParams)}},
    {"pack_yuv", {{image, buffer, buffer, buffer}, sizeof(params::PackYuvParams)}},
    {"pick.merge", {{buffer, buffer, buffer}, sizeof(params::PickMergeParams)}},
    {"pick.part", {{buffer, buffer}, sizeof(params::PickPartParams)}},
    {"picked_detections",
     {{buffer, buffer, buffer, buffer}, sizeof(params::PickedDetectionsParams)}},
    {"pool_heads", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::PoolHeadsParams)}},
    {"post_norm",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::PostNormParams)}},
    {"preprocess.horizontal",
     {{image, buffer, buffer, buffer}, sizeof(params::PreprocessHorizontalParams)}},
    {"preprocess.vertical",
     {{buffer, buffer, buffer, buffer}, sizeof(params::PreprocessVerticalParams)}},
    {"principal.project", {{buffer, buffer, buffer, buffer}, sizeof(params::PrincipalParams)}},
    {"principal.turn", {{buffer, buffer, buffer, buffer}, sizeof(params::PrincipalParams)}},
    {"principal.unit", {{buffer, buffer}, sizeof(params::PrincipalUnitParams)}},
    {"quantiles", {{buffer, buffer}, sizeof(params::QuantilesParams)}},
    {"refine_boxes", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::RefineBoxesParams)}},
    {"resample.horizontal",
     {{image, buffer, buffer, buffer}, sizeof(params::ResampleHorizontalParams)}},
    {"resample.vertical",
     {{buffer, buffer, buffer, buffer}, sizeof(params::ResampleVerticalParams)}},
    {"resize", {{buffer, buffer, buffer, image}, sizeof(params::ResizeParams)}},
    {"restrain", {{buffer, buffer, buffer, buffer}, sizeof(params::RestrainParams)}},
    {"rms_norm", {{buffer, buffer, buffer}, sizeof(params::RmsNormParams)}},
    {"rotate", {{buffer, buffer}, sizeof(params::RotateParams)}},
    {"row_max", {{buffer, buffer}, sizeof(params::RowMaxParams)}},
    {"relative_attention",
     {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::RelativeAttentionParams)}},
    {"relative_map", {{buffer, buffer, buffer, buffer}, sizeof(params::RelativeMapParams)}},
    {"relative_scores", {{buffer, buffer, buffer, buffer}, sizeof(params::RelativeScoresParams)}},
    {"rotate_heads", {{buffer, buffer}, sizeof(params::RotateHeadsParams)}},
    {"row_sum", {{buffer, buffer, buffer}, sizeof(params::RowSumParams)}},
    {"sampling_points",
     {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::SamplingPointsParams)}},
    {"scale_boxes",
     {{buffer, buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::ScaleBoxesParams)}},
    {"select", {{buffer, buffer, buffer}, sizeof(params::SelectParams)}},
    {"set_rows", {{buffer, buffer, buffer}, sizeof(params::SetRowsParams)}},
    {"softmax", {{buffer, buffer}, sizeof(params::SoftmaxParams)}},
    {"splat", {{buffer, buffer, buffer}, sizeof(params::SplatParams)}},
    {"take", {{buffer, buffer, buffer}, sizeof(params::TakeParams)}},
    {"topk", {{buffer, buffer, buffer, buffer}, sizeof(params::TopkParams)}},
    {"triangles", {{buffer, buffer, buffer, buffer, image}, sizeof(params::TrianglesParams)}},
    {"unit_rows", {{buffer, buffer}, sizeof(params::UnitRowsParams)}},
    {"unpack", {{buffer, image}, sizeof(params::UnpackParams)}},
    {"unpack_yuv", {{buffer, buffer, buffer, image}, sizeof(params::UnpackYuvParams)}},
    {"upsample", {{buffer, buffer}, sizeof(params::UpsampleParams)}},
    {"window_attention",
     {{buffer, buffer, buffer, buffer, buffer, buffer}, sizeof(params::WindowAttentionParams)}},
    {"window_map", {{buffer, buffer, buffer, buffer, buffer}, sizeof(params::WindowMapParams)}},
};

// "linear.coopmat.f16_f32" is a variant of "linear": the longest name that is listed.
const Interface* interface_of(std::string_view shader) {
    for (std::string_view name = shader;; name = name.substr(0, name.rfind('.'))) {
        if (auto found = interfaces.find(name); found != interfaces.end()) return &found->second;
        if (name.find('.') == name.npos) return nullptr;
    }
}

const EmbeddedShader& shader_named(std::string_view name) {
    return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

TEST(Spirv, every_shader_takes_the_parameters_and_bindings_that_its_operation_gives) {
    EXPECT_GE(embedded_shaders().size(), interfaces.size());
    for (const EmbeddedShader& shader : embedded_shaders()) {
        SCOPED_TRACE(shader.name);
        const Interface* expected = interface_of(shader.name);
        ASSERT_NE(expected, nullptr) << "is not in this test's list";
        const Reflection reflection = reflect(shader.code, shader.name);
        EXPECT_EQ(reflection.push_constant_bytes, expected->params_bytes);
        EXPECT_LE(reflection.push_constant_bytes, 128u) << "all that Vulkan promises";
        std::vector<Reflection::Binding> bindings = expected->bindings;
        if (shader.name.ends_with(".texels")) std::ranges::replace(bindings, buffer, texels);
        EXPECT_EQ(reflection.bindings, bindings);
    }
}

TEST(Spirv, no_two_shaders_share_a_name) {
    std::vector<std::string_view> names;
    for (const EmbeddedShader& shader : embedded_shaders()) names.push_back(shader.name);
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Spirv, specialisation_constants_are_numbered_without_gaps) {
    for (const EmbeddedShader& shader : embedded_shaders()) {
        uint32_t next = 0;
        for (const auto& [id, value] : reflect(shader.code, shader.name).spec_constants)
            EXPECT_EQ(id, next++) << shader.name;
    }
}

// Drivers that run on a CPU turn an integer division by a variable into instructions that the CPU may
// not have (SVE's, where the machine hides SVE from its guests), or into a loop.
TEST(Spirv, no_kernel_that_a_cpu_runs_divides_integers_by_what_is_not_constant) {
    constexpr uint32_t first_constant = 41, last_constant = 52;  // OpConstantTrue, OpSpecConstantOp
    constexpr uint32_t divisions[] = {134, 135, 137, 138, 139};  // OpUDiv, SDiv, UMod, SRem, SMod
    size_t by_constants = 0;
    for (const EmbeddedShader& shader : embedded_shaders()) {
        if (shader.name.find(".coopmat") != shader.name.npos) continue;
        std::set<uint32_t> constants;
        for (size_t at = 5; at < shader.code.size(); at += shader.code[at] >> 16) {
            const uint32_t op = shader.code[at] & 0xffff;
            if (op >= first_constant && op <= last_constant) constants.insert(shader.code[at + 2]);
            if (std::ranges::find(divisions, op) == std::end(divisions)) continue;
            EXPECT_TRUE(constants.contains(shader.code[at + 4])) << shader.name;
            ++by_constants;
        }
    }
    EXPECT_GT(by_constants, 0u);
}

TEST(Spirv, tells_which_constants_set_the_workgroup_and_what_the_others_are) {
    const Reflection linear = reflect(shader_named("linear.f32").code, "linear.f32");
    EXPECT_EQ(linear.local_size_spec[0], 0);
    EXPECT_EQ(linear.local_size_spec[1], 1);
    EXPECT_EQ(linear.local_size_spec[2], -1);
    EXPECT_EQ(linear.local_size[2], 1u);
    EXPECT_EQ(linear.spec_constants.size(), 7u);
    EXPECT_EQ(linear.spec_constants.at(5), 1u) << "BIAS is on unless it is said otherwise";

    // The same constant sets the workgroup and is read by the shader.
    const Reflection softmax = reflect(shader_named("softmax.f32").code, "softmax.f32");
    EXPECT_EQ(softmax.local_size_spec[0], 0);
    EXPECT_EQ(softmax.spec_constants.size(), 1u);
}

std::string reflection_error(std::span<const uint32_t> code) {
    try {
        reflect(code, "broken");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Spirv, what_is_not_spirv_is_refused) {
    const std::span<const uint32_t> good = shader_named("add.f32").code;
    EXPECT_EQ(reflection_error({}), "shader 'broken' is not SPIR-V");
    EXPECT_EQ(reflection_error(good.first(4)), "shader 'broken' is not SPIR-V") << "half a header";
    std::vector<uint32_t> swapped(good.begin(), good.end());
    swapped[0] = 0x03022307;
    EXPECT_EQ(reflection_error(swapped), "shader 'broken' is not SPIR-V") << "the other byte order";
    EXPECT_EQ(reflection_error(std::vector<uint32_t>(100, 0x20202020)), "shader 'broken' is not SPIR-V");
}

TEST(Spirv, damaged_instructions_are_refused) {
    const std::span<const uint32_t> good = shader_named("add.f32").code;
    std::vector<uint32_t> empty(good.begin(), good.end());
    empty[5] &= 0xffff;  // an instruction of no words would never end
    EXPECT_EQ(reflection_error(empty), "shader 'broken' is damaged SPIR-V");
    std::vector<uint32_t> long_one(good.begin(), good.end());
    long_one[5] |= 0xffff0000;
    EXPECT_EQ(reflection_error(long_one), "shader 'broken' is damaged SPIR-V");
}

TEST(Spirv, a_file_that_was_cut_off_is_refused_wherever_that_splits_an_instruction) {
    const std::span<const uint32_t> good = shader_named("add.f32").code;
    std::vector<bool> boundary(good.size() + 1);
    for (size_t at = 5; at < good.size(); at += good[at] >> 16) boundary[at] = true;
    boundary[good.size()] = true;
    for (size_t length = 5; length <= good.size(); ++length) {
        if (boundary[length])
            EXPECT_NO_THROW(reflect(good.first(length), "broken")) << length;
        else
            EXPECT_EQ(reflection_error(good.first(length)), "shader 'broken' is damaged SPIR-V") << length;
    }
}

// SPIR-V by hand: a header, then instructions of an opcode and its operands.
class Assembler {
public:
    Assembler& op(uint32_t code, std::initializer_list<uint32_t> operands) {
        words_.push_back(code | static_cast<uint32_t>(operands.size() + 1) << 16);
        words_.insert(words_.end(), operands);
        return *this;
    }
    const std::vector<uint32_t>& words() const { return words_; }

private:
    std::vector<uint32_t> words_ = {0x07230203, 0x00010600, 0, 100, 0};
};

constexpr uint32_t decorate = 71, type_float = 22, type_struct = 30, type_pointer = 32,
                   variable = 59, binding = 33, descriptor_set = 34, storage_buffer = 12;

TEST(Spirv, bindings_with_a_gap_and_other_descriptor_sets_are_refused) {
    auto with = [](uint32_t set, uint32_t number) {
        return Assembler()
            .op(decorate, {4, descriptor_set, set})
            .op(decorate, {4, binding, number})
            .op(type_float, {1, 32})
            .op(type_struct, {2, 1})
            .op(type_pointer, {3, storage_buffer, 2})
            .op(variable, {3, 4, storage_buffer})
            .words();
    };
    EXPECT_EQ(reflect(with(0, 0), "good").bindings, std::vector{buffer});
    EXPECT_EQ(reflection_error(with(0, 1)), "shader 'broken' leaves a gap in its bindings");
    EXPECT_EQ(reflection_error(with(1, 0)), "shader 'broken' uses a descriptor set other than 0");
}

}  // namespace
}  // namespace saccade
