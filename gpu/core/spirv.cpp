#include "gpu/core/spirv.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "gpu/core/error.h"
#include "shaders/common/params.h"

// A reader for the handful of SPIR-V instructions that describe a compute shader's interface. The
// numbers are those of the SPIR-V specification.

namespace saccade {

namespace {

enum Op : uint32_t {
    op_capability = 17,
    op_execution_mode = 16,
    op_type_int = 21,
    op_type_float = 22,
    op_type_vector = 23,
    op_type_matrix = 24,
    op_type_image = 25,
    op_type_array = 28,
    op_type_runtime_array = 29,
    op_type_struct = 30,
    op_type_pointer = 32,
    op_constant = 43,
    op_spec_constant_true = 48,
    op_spec_constant_false = 49,
    op_spec_constant = 50,
    op_spec_constant_composite = 51,
    op_variable = 59,
    op_decorate = 71,
    op_member_decorate = 72,
    op_execution_mode_id = 331,
};
enum Decoration : uint32_t {
    decoration_spec_id = 1,
    decoration_array_stride = 6,
    decoration_built_in = 11,
    decoration_binding = 33,
    decoration_descriptor_set = 34,
    decoration_offset = 35,
};
constexpr uint32_t capability_cooperative_matrix = 6022;
constexpr uint32_t mode_local_size = 17, mode_local_size_id = 38;
constexpr uint32_t built_in_workgroup_size = 25;
constexpr uint32_t dim_buffer = 5;
constexpr uint32_t format_rgba32f = 1, format_rgba32ui = 30, format_r32ui = 33;
constexpr uint32_t storage_uniform_constant = 0, storage_uniform = 2, storage_push_constant = 9,
                   storage_storage_buffer = 12;

struct Id {
    uint32_t op = 0;
    std::vector<uint32_t> words;  // operands after the result id
    std::unordered_map<uint32_t, uint32_t> decorations;
    std::unordered_map<uint32_t, uint32_t> member_offsets;
};

using Ids = std::unordered_map<uint32_t, Id>;

// Damaged files may lack operands or hold types that contain themselves: at() and `depth` notice.
uint32_t size_of(Ids& ids, uint32_t type, int depth = 0) {
    if (depth > 16) throw std::out_of_range("types nested too deep");
    Id& id = ids[type];
    switch (id.op) {
        case op_type_int:
        case op_type_float:
            return id.words.at(0) / 8;
        case op_type_vector:
        case op_type_matrix:
            return size_of(ids, id.words.at(0), depth + 1) * id.words.at(1);
        case op_type_array: {
            const uint32_t count = ids[id.words.at(1)].words.at(0);
            const uint32_t stride = id.decorations[decoration_array_stride];
            return count * (stride ? stride : size_of(ids, id.words.at(0), depth + 1));
        }
        case op_type_struct: {
            uint32_t end = 0;
            for (uint32_t i = 0; i < id.words.size(); ++i)
                end = std::max(end, id.member_offsets[i] + size_of(ids, id.words[i], depth + 1));
            return end;
        }
        default:
            return 0;
    }
}

// The texels of a texel buffer, by SPIR-V's number of its format.
Reflection::Texel texel_of(uint32_t format, const std::string& where) {
    using enum Reflection::Texel;
    switch (format) {
        case format_rgba32f:
            return float4;
        case format_rgba32ui:
            return uint4;
        case format_r32ui:
            return uint1;
        default:
            throw Error(where + " has texels of an unknown format");
    }
}

// The declarations of a shader, as they are in the file.
struct Module {
    Ids ids;
    std::vector<uint32_t> variables, local_size_ids;
    uint32_t workgroup_size_id = 0;
    uint32_t local_size[3] = {1, 1, 1};
    bool cooperative_matrices = false;

    // One instruction, its number and length first.
    void take(std::span<const uint32_t> w);
};

void Module::take(std::span<const uint32_t> w) {
    const uint32_t op = w[0] & 0xffff;
    const size_t length = w.size();
    auto operands = [&](size_t from) {
        return std::vector<uint32_t>(w.begin() + static_cast<std::ptrdiff_t>(from), w.end());
    };
    switch (op) {
        case op_capability:
            cooperative_matrices |= length >= 2 && w[1] == capability_cooperative_matrix;
            break;
        case op_execution_mode:
            if (length >= 6 && w[2] == mode_local_size) std::copy_n(w.begin() + 3, 3, local_size);
            break;
        case op_execution_mode_id:
            if (length >= 6 && w[2] == mode_local_size_id) local_size_ids = operands(3);
            break;
        case op_decorate:
            if (length < 3) break;
            ids[w[1]].decorations[w[2]] = length > 3 ? w[3] : 1;
            if (w[2] == decoration_built_in && length > 3 && w[3] == built_in_workgroup_size)
                workgroup_size_id = w[1];
            break;
        case op_member_decorate:
            if (length > 4 && w[3] == decoration_offset) ids[w[1]].member_offsets[w[2]] = w[4];
            break;
        case op_type_int:
        case op_type_float:
        case op_type_vector:
        case op_type_matrix:
        case op_type_image:
        case op_type_array:
        case op_type_runtime_array:
        case op_type_struct:
        case op_type_pointer:
            if (length < 2) break;
            ids[w[1]].op = op;
            ids[w[1]].words = operands(2);
            break;
        case op_constant:
        case op_spec_constant_true:
        case op_spec_constant_false:
        case op_spec_constant:
        case op_spec_constant_composite:
        case op_variable:
            if (length < 3) break;
            ids[w[2]].op = op;
            ids[w[2]].words = operands(3);
            if (op == op_spec_constant_true) ids[w[2]].words = {1};
            if (op == op_spec_constant_false) ids[w[2]].words = {0};
            if (op == op_variable) {
                ids[w[2]].words.insert(ids[w[2]].words.begin(), w[1]);  // its pointer type
                variables.push_back(w[2]);
            }
            break;
        default:
            break;
    }
}

// A workgroup size is a LocalSize mode, a LocalSizeId mode, or a composite constant that carries
// the WorkgroupSize built-in; the last two may name specialisation constants.
void read_constants(Module& module, Reflection& result) {
    std::copy_n(module.local_size, 3, result.local_size);
    Ids& ids = module.ids;
    const std::vector<uint32_t>& sizes =
        module.workgroup_size_id ? ids[module.workgroup_size_id].words : module.local_size_ids;
    for (size_t axis = 0; axis < 3 && axis < sizes.size(); ++axis) {
        const Id& constant = ids[sizes[axis]];
        if (!constant.words.empty()) result.local_size[axis] = constant.words[0];
        if (auto spec = constant.decorations.find(decoration_spec_id);
            spec != constant.decorations.end())
            result.local_size_spec[axis] = static_cast<int>(spec->second);
    }
    for (auto& [number, id] : ids)
        if (auto spec = id.decorations.find(decoration_spec_id); spec != id.decorations.end()) {
            if (spec->second == NATIVE_HALVES_ID)
                result.native_halves = true;
            else
                result.spec_constants[spec->second] = id.words.empty() ? 0 : id.words[0];
        }
}

void read_bindings(Module& module, Reflection& result, const std::string& where) {
    Ids& ids = module.ids;
    struct Bound {
        Reflection::Binding kind = Reflection::Binding::buffer;
        Reflection::Texel texel = Reflection::Texel::none;
    };
    std::map<uint32_t, Bound> bindings;
    for (uint32_t variable : module.variables) {
        Id& id = ids[variable];
        const uint32_t storage = id.words.at(1);
        const uint32_t pointee = ids[id.words.at(0)].words.at(1);
        if (storage == storage_push_constant) {
            result.push_constant_bytes = size_of(ids, pointee);
        } else if (storage == storage_storage_buffer || storage == storage_uniform ||
                   storage == storage_uniform_constant) {
            if (id.decorations[decoration_descriptor_set] != 0)
                throw Error(where + " uses a descriptor set other than 0");
            Bound& bound = bindings[id.decorations[decoration_binding]];
            if (storage != storage_uniform_constant) continue;
            bound.kind = Reflection::Binding::image;
            const Id& image = ids[pointee];
            if (image.words.at(1) != dim_buffer) continue;
            bound = {Reflection::Binding::texels, texel_of(image.words.at(6), where)};
        }
    }
    for (const auto& [number, bound] : bindings) {
        if (number != result.bindings.size()) throw Error(where + " leaves a gap in its bindings");
        result.bindings.push_back(bound.kind);
        result.texels.push_back(bound.texel);
    }
}

Reflection read(std::span<const uint32_t> code, const std::string& where) {
    if (code.size() < 5 || code[0] != 0x07230203) throw Error(where + " is not SPIR-V");
    Module module;
    for (size_t at = 5; at < code.size();) {
        const uint32_t length = code[at] >> 16;
        if (length == 0 || at + length > code.size()) throw Error(where + " is damaged SPIR-V");
        module.take(code.subspan(at, length));
        at += length;
    }
    Reflection result;
    result.whole_subgroups = module.cooperative_matrices;
    read_constants(module, result);
    read_bindings(module, result, where);
    return result;
}

}  // namespace

Reflection reflect(std::span<const uint32_t> code, std::string_view name) {
    const std::string where = "shader '" + std::string(name) + "'";
    try {
        return read(code, where);
    } catch (const std::out_of_range&) {
        throw Error(where + " is damaged SPIR-V");
    }
}

}  // namespace saccade
