#include "gpu/core/spirv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gpu/core/error.h"
#include "shaders/embedded.h"

namespace saccade {
namespace {

using enum Reflection::Binding;

const EmbeddedShader& shader_named(std::string_view name) {
    return *std::ranges::find(embedded_shaders(), name, &EmbeddedShader::name);
}

TEST(Spirv, every_kernel_has_bindings_and_parameters_that_fit_every_device) {
    constexpr uint32_t promised_bytes = 128;  // of push constants, by Vulkan
    for (const EmbeddedShader& shader : embedded_shaders()) {
        const Reflection reflection = reflect(shader.code, shader.name);
        EXPECT_FALSE(reflection.bindings.empty()) << shader.name;
        EXPECT_LE(reflection.push_constant_bytes, promised_bytes) << shader.name;
        const bool reads_texels =
            std::ranges::find(reflection.bindings, texels) != reflection.bindings.end();
        EXPECT_EQ(reads_texels, shader.name.ends_with(".texels")) << shader.name;
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

// Drivers that run on a CPU turn an integer division by a variable into instructions that the CPU
// may not have (SVE's, where the machine hides SVE from its guests), or into a loop.
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
    EXPECT_EQ(reflection_error(std::vector<uint32_t>(100, 0x20202020)),
              "shader 'broken' is not SPIR-V");
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
            EXPECT_EQ(reflection_error(good.first(length)), "shader 'broken' is damaged SPIR-V")
                << length;
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
