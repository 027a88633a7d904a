# How a shader becomes part of the program: NAME.comp -> NAME[.TYPE].spv -> embedded in the library saccade_shaders.

if(NOT SACCADE_SPIRV_DIR)
    find_program(SACCADE_GLSLANG NAMES glslang glslangValidator)
    if(NOT SACCADE_GLSLANG)
        message(FATAL_ERROR "No shader compiler: install glslang, or name a folder of ready-made .spv files in "
                            "SACCADE_SPIRV_DIR")
    endif()
    message(STATUS "Shader compiler: ${SACCADE_GLSLANG}")
endif()
set(saccade_glslang_flags -V -g0 --quiet --target-env vulkan1.3)
set(saccade_shaders_declared "")
set(saccade_spirv "")

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

# saccade_shader(NAME [TYPES A B A_B...] [TEXELS] [REQUIRES EXTENSION...])
# compiles NAME.comp once for each of TYPES: A reads and writes storage type A (-DT=A -DOUT=A), A_B reads A and writes B
# (-DT=A -DOUT=B). Without TYPES it is compiled once. With TEXELS there is also NAME.f32.texels, or NAME.texels, whose
# tensors are texel buffers (-DTEXELS). A shader is left out where the compiler lacks an EXTENSION.
function(saccade_shader name)
    cmake_parse_arguments(arg "TEXELS" "" "TYPES;REQUIRES" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "saccade_shader(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
    endif()
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/${name}.comp")
    if(NOT EXISTS "${source}")
        message(FATAL_ERROR "saccade_shader(${name}): there is no shaders/${name}.comp")
    endif()
    string(REGEX REPLACE "\\..*" "" op "${name}")
    if(NOT EXISTS "${PROJECT_SOURCE_DIR}/tests/gpu/ops/${op}_test.cpp")
        message(FATAL_ERROR "shaders/${name}.comp has no test: write tests/gpu/ops/${op}_test.cpp")
    endif()
    set(saccade_shaders_declared ${saccade_shaders_declared} "${source}" PARENT_SCOPE)
    if(SACCADE_SPIRV_DIR)
        return()
    endif()

    foreach(extension IN LISTS arg_REQUIRES)
        saccade_glslang_supports(${extension} supported)
        if(NOT supported)
            message(STATUS "Left out: shaders/${name}.comp, since this shader compiler lacks ${extension}")
            return()
        endif()
    endforeach()

    # What follows NAME: types, a suffix, or nothing, which CMake's lists cannot hold.
    set(variants ${arg_TYPES})
    if(NOT variants)
        set(variants plain)
    endif()
    if(arg_TEXELS AND arg_TYPES)
        list(APPEND variants f32.texels)
    elseif(arg_TEXELS)
        list(APPEND variants texels)
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

# saccade_embed_shaders(TARGET): the library that holds what was declared, or all of SACCADE_SPIRV_DIR, and the target
# spirv, which makes the .spv files alone. embedded.h is the way in.
function(saccade_embed_shaders target)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.comp")
    foreach(source IN LISTS sources)
        if(NOT source IN_LIST saccade_shaders_declared)
            file(RELATIVE_PATH source "${PROJECT_SOURCE_DIR}" "${source}")
            message(WARNING "${source} is not built: shaders/CMakeLists.txt has no saccade_shader() for it")
        endif()
    endforeach()

    if(SACCADE_SPIRV_DIR)
        get_filename_component(folder "${SACCADE_SPIRV_DIR}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
        file(GLOB saccade_spirv CONFIGURE_DEPENDS "${folder}/*.spv")
        if(NOT saccade_spirv)
            message(FATAL_ERROR "SACCADE_SPIRV_DIR: there is no .spv file in ${folder}")
        endif()
    endif()
    add_custom_target(spirv DEPENDS ${saccade_spirv})

    set(assembly ".section .rodata\n")
    set(declarations "")
    set(entries "")
    set(index 0)
    foreach(spv IN LISTS saccade_spirv)
        get_filename_component(name "${spv}" NAME)
        string(REGEX REPLACE "\\.spv$" "" name "${name}")
        set(symbol "saccade_spirv_${index}")
        string(APPEND assembly
            ".balign 16\n.global ${symbol}\n.hidden ${symbol}\n${symbol}:\n.incbin \"${spv}\"\n${symbol}_end:\n"
            ".balign 8\n.global ${symbol}_words\n.hidden ${symbol}_words\n"
            "${symbol}_words: .quad (${symbol}_end - ${symbol}) / 4\n")
        string(APPEND declarations
            "extern \"C\" const std::uint32_t ${symbol}[];\nextern \"C\" const std::uint64_t ${symbol}_words;\n")
        string(APPEND entries "        {\"${name}\", {${symbol}, static_cast<std::size_t>(${symbol}_words)}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND assembly ".section .note.GNU-stack,\"\",%progbits\n")
    file(CONFIGURE OUTPUT embedded.s CONTENT "${assembly}" @ONLY)
    file(CONFIGURE OUTPUT embedded.cpp @ONLY CONTENT
"#include \"shaders/embedded.h\"

#include <vector>

${declarations}
namespace saccade {

std::span<const EmbeddedShader> embedded_shaders() {
    static const std::vector<EmbeddedShader> shaders{
${entries}    };
    return shaders;
}

}  // namespace saccade
")
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/embedded.s" PROPERTIES OBJECT_DEPENDS "${saccade_spirv}")

    add_library(${target} STATIC
        "${CMAKE_CURRENT_BINARY_DIR}/embedded.s" "${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp")
    add_dependencies(${target} spirv)
endfunction()
