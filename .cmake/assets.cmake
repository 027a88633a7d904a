include(embed)

# saccade_embed_assets(TARGET FILE...): the library that holds the files' bytes. app/io/assets.h is the way in.
function(saccade_embed_assets target)
    set(files "")
    set(entries "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        get_filename_component(file "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        list(APPEND files "${file}")
        string(APPEND entries
            "    if (name == \"${name}\") return {saccade_assets_${index}, saccade_assets_${index}_end};\n")
        math(EXPR index "${index} + 1")
    endforeach()
    saccade_embed(assets std::byte ${files})
    file(CONFIGURE OUTPUT assets.cpp @ONLY CONTENT
"#include \"app/io/assets.h\"

#include \"gpu/core/error.h\"

${saccade_assets_declarations}
namespace saccade {

std::span<const std::byte> asset(std::string_view name) {
${entries}    throw Error(\"the program has no asset \" + std::string(name));
}

}  // namespace saccade
")
    add_library(${target} STATIC "${CMAKE_CURRENT_BINARY_DIR}/assets.s" "${CMAKE_CURRENT_BINARY_DIR}/assets.cpp")
endfunction()
