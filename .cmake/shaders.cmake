# How a shader becomes part of the program: FAMILY/NAME.comp -> NAME[.TYPE].spv -> embedded in the library
# saccade_shaders. A shader says at its head which types it is compiled for:
#   // types: f32 f16_f32, texels
#   // requires: GL_SOME_extension
# f32 reads and writes storage type f32 (-DT=f32 -DOUT=f32), f16_f32 reads f16 and writes f32 (-DT=f16 -DOUT=f32). A
# shader that names no type is compiled once. `texels` adds NAME.f32.texels, or NAME.texels, whose tensors are texel
# buffers (-DTEXELS). A shader is left out where the compiler lacks an extension that it requires.

include(embed)

if(NOT SACCADE_SPIRV_DIR)
    find_program(SACCADE_GLSLANG NAMES glslang glslangValidator)
    if(NOT SACCADE_GLSLANG)
        message(FATAL_ERROR "No shader compiler: install glslang, or name a folder of ready-made .spv files in "
                            "SACCADE_SPIRV_DIR")
    endif()
    message(STATUS "Shader compiler: ${SACCADE_GLSLANG}")
endif()
set(saccade_glslang_flags -V -g0 --quiet --target-env vulkan1.3 "-I${PROJECT_SOURCE_DIR}")

# saccade_glslang_supports(EXTENSION RESULT): whether a shader that requires EXTENSION compiles.
function(saccade_glslang_supports extension result)
    if(NOT DEFINED SACCADE_GLSLANG_HAS_${extension})
        set(probe "${CMAKE_CURRENT_BINARY_DIR}/probe/${extension}.comp")
        file(WRITE "${probe}" "#version 460\n#extension ${extension} : require\n"
                              "layout(local_size_x = 1) in;\nvoid main() {}\n")
        execute_process(
            COMMAND "${SACCADE_GLSLANG}" ${saccade_glslang_flags} -o "${probe}.spv" "${probe}"
            RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        if(status EQUAL 0)
            set(supported TRUE)
        else()
            set(supported FALSE)
        endif()
        set(SACCADE_GLSLANG_HAS_${extension} ${supported} CACHE INTERNAL "")
    endif()
    set(${result} ${SACCADE_GLSLANG_HAS_${extension}} PARENT_SCOPE)
endfunction()

# saccade_read_head(SOURCE KEY RESULT): the words of the line `// KEY: ...` of a shader, or none.
function(saccade_read_head source key result)
    file(STRINGS "${source}" line LIMIT_COUNT 1 REGEX "^// ${key}:")
    string(REGEX REPLACE "^// ${key}:" "" words "${line}")
    string(REGEX MATCHALL "[A-Za-z0-9_]+" words "${words}")
    set(${result} ${words} PARENT_SCOPE)
endfunction()

# saccade_shader(SOURCE): compiles FAMILY/NAME.comp as its head says, and appends the results to saccade_spirv.
function(saccade_shader source)
    get_filename_component(family "${source}" DIRECTORY)
    get_filename_component(family "${family}" NAME)
    get_filename_component(name "${source}" NAME_WLE)
    string(REGEX REPLACE "\\..*" "" op "${name}")
    set(test "tests/gpu/ops/${family}/${op}_test.cpp")
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/${test}")
        message(FATAL_ERROR "shaders/${family}/${name}.comp has no test: write ${test}")
    endif()
    if(SACCADE_SPIRV_DIR)
        return()
    endif()

    # An edit of its head may change what is built.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    saccade_read_head("${source}" requires extensions)
    foreach(extension IN LISTS extensions)
        saccade_glslang_supports(${extension} supported)
        if(NOT supported)
            message(STATUS "Left out: shaders/${family}/${name}.comp, since this shader compiler lacks ${extension}")
            return()
        endif()
    endforeach()

    saccade_read_head("${source}" types variants)
    foreach(word IN LISTS variants)
        if(NOT word MATCHES "^(f32|f16)(_(f32|f16))?$" AND NOT word STREQUAL "texels")
            message(FATAL_ERROR "shaders/${family}/${name}.comp: `// types:` has the unknown word ${word}")
        endif()
    endforeach()
    if("${variants}" STREQUAL "")  # unset where there is no such line
        set(variants plain)
    elseif(variants STREQUAL "texels")
        set(variants plain texels)
    else()
        list(TRANSFORM variants REPLACE "^texels$" "f32.texels")
    endif()
    foreach(variant IN LISTS variants)
        set(stem "${name}")
        set(defines "")
        if(NOT variant STREQUAL "plain")
            string(APPEND stem ".${variant}")
        endif()
        if(variant MATCHES "texels$")
            list(APPEND defines -DTEXELS)
        endif()
        if(variant MATCHES "^f")
            string(REGEX REPLACE "\\..*" "" types "${variant}")
            string(REGEX REPLACE "_.*" "" from "${types}")
            string(REGEX REPLACE "^[^_]*_" "" to "${types}")
            list(APPEND defines -DT=${from} -DOUT=${to})
        endif()
        set(spv "${CMAKE_CURRENT_BINARY_DIR}/${stem}.spv")
        add_custom_command(
            OUTPUT "${spv}"
            COMMAND "${SACCADE_GLSLANG}" ${saccade_glslang_flags} ${defines} --depfile "${spv}.d" -o "${spv}" "${source}"
            DEPENDS "${source}" "${SACCADE_GLSLANG}"
            DEPFILE "${spv}.d"
            COMMENT "Compiling shader ${stem}"
            VERBATIM)
        list(APPEND saccade_spirv "${spv}")
    endforeach()
    set(saccade_spirv "${saccade_spirv}" PARENT_SCOPE)
endfunction()

# saccade_embed_shaders(TARGET): the library that holds every FAMILY/NAME.comp of this folder, or all of
# SACCADE_SPIRV_DIR, and the target spirv, which makes the .spv files alone. embedded.h is the way in.
function(saccade_embed_shaders target)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/*.comp")
    set(saccade_spirv "")
    foreach(source IN LISTS sources)
        saccade_shader("${source}")
    endforeach()
    if(SACCADE_SPIRV_DIR)
        get_filename_component(folder "${SACCADE_SPIRV_DIR}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
        file(GLOB saccade_spirv CONFIGURE_DEPENDS "${folder}/*.spv")
        if(NOT saccade_spirv)
            message(FATAL_ERROR "SACCADE_SPIRV_DIR: there is no .spv file in ${folder}")
        endif()
    endif()
    add_custom_target(spirv DEPENDS ${saccade_spirv})

    set(entries "")
    set(index 0)
    foreach(spv IN LISTS saccade_spirv)
        get_filename_component(name "${spv}" NAME_WLE)
        string(APPEND entries "        {\"${name}\", {saccade_spirv_${index}, saccade_spirv_${index}_end}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    saccade_embed(spirv std::uint32_t ${saccade_spirv})
    file(CONFIGURE OUTPUT spirv.cpp @ONLY CONTENT
"#include \"shaders/embedded.h\"

#include <vector>

${saccade_spirv_declarations}
namespace saccade {

std::span<const EmbeddedShader> embedded_shaders() {
    static const std::vector<EmbeddedShader> shaders{
${entries}    };
    return shaders;
}

}  // namespace saccade
")
    add_library(${target} STATIC "${CMAKE_CURRENT_BINARY_DIR}/spirv.s" "${CMAKE_CURRENT_BINARY_DIR}/spirv.cpp")
    add_dependencies(${target} spirv)
endfunction()
