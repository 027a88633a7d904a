# saccade_rooms_at_once(TARGET): a unity build (the launcher's is one) compiles all files of a folder as one, so that the
# headers, which take most of the build time, are read once per folder. Names in unnamed namespaces must therefore differ
# within a folder. Without -DCMAKE_UNITY_BUILD=ON each file is compiled alone: faster after an edit, slower from scratch.
function(saccade_rooms_at_once target)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_filename_component(room "${source}" DIRECTORY)
        file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${room}")
        string(REPLACE "/" "_" room "${room}")
        set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${room}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# saccade_optimise(TARGET LEVEL): release builds of TARGET use -O<LEVEL> instead of -O3. Level 2 suits code that leaves the
# work to the device, level 1 code that runs once; both halve the build time. Debug builds keep -O0.
function(saccade_optimise target level)
    if(SACCADE_SANITIZE)
        return()
    endif()
    target_compile_options(${target} PRIVATE
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O${level}>
        # At these levels GCC 12 mistakes a length check in std::string for an overflow.
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>)
endfunction()

# saccade_precompile(TARGET HEADER...): precompiles headers that most files read, where each file is compiled alone.
function(saccade_precompile target)
    if(NOT CMAKE_UNITY_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
