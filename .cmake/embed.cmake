# saccade_embed(STEM ELEMENT FILE...): writes STEM.s, which holds the bytes of the files. The file with the number i
# lies between the symbols saccade_STEM_i and saccade_STEM_i_end, arrays of the C++ type ELEMENT; the variable
# saccade_STEM_declarations has the lines of C++ that declare them.
function(saccade_embed stem element)
    set(assembly ".section .rodata\n")
    set(declarations "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        set(symbol "saccade_${stem}_${index}")
        string(APPEND assembly
            ".balign 16\n.global ${symbol}\n.hidden ${symbol}\n${symbol}:\n.incbin \"${file}\"\n"
            ".global ${symbol}_end\n.hidden ${symbol}_end\n${symbol}_end:\n")
        string(APPEND declarations "extern \"C\" const ${element} ${symbol}[], ${symbol}_end[];\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND assembly ".section .note.GNU-stack,\"\",%progbits\n")
    file(CONFIGURE OUTPUT ${stem}.s CONTENT "${assembly}" @ONLY)
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${stem}.s" PROPERTIES OBJECT_DEPENDS "${ARGN}")
    set(saccade_${stem}_declarations "${declarations}" PARENT_SCOPE)
endfunction()
