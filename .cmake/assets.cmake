# saccade_embed_assets(TARGET FILE...): the library that holds the files' bytes. app/io/assets.h is the way in.
function(saccade_embed_assets target)
    set(assembly ".section .rodata\n")
    set(declarations "")
    set(entries "")
    set(files "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        get_filename_component(file "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        list(APPEND files "${file}")
        set(symbol "saccade_asset_${index}")
        string(APPEND assembly
            ".global ${symbol}\n.hidden ${symbol}\n${symbol}:\n.incbin \"${file}\"\n"
            ".global ${symbol}_end\n.hidden ${symbol}_end\n${symbol}_end:\n")
        string(APPEND declarations "extern \"C\" const std::byte ${symbol}[], ${symbol}_end[];\n")
        string(APPEND entries "    if (name == \"${name}\") return {${symbol}, ${symbol}_end};\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND assembly ".section .note.GNU-stack,\"\",%progbits\n")
    file(CONFIGURE OUTPUT assets.s CONTENT "${assembly}" @ONLY)
    file(CONFIGURE OUTPUT assets.cpp @ONLY CONTENT
"#include \"app/io/assets.h\"

#include \"gpu/core/error.h\"

${declarations}
namespace saccade {

std::span<const std::byte> asset(std::string_view name) {
${entries}    throw Error(\"the program has no asset \" + std::string(name));
}

}  // namespace saccade
")
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/assets.s" PROPERTIES OBJECT_DEPENDS "${files}")
    add_library(${target} STATIC "${CMAKE_CURRENT_BINARY_DIR}/assets.s" "${CMAKE_CURRENT_BINARY_DIR}/assets.cpp")
endfunction()
