# saccade_rooms_at_once(TARGET): where the build is a unity build (the launcher's is), all files of a room are compiled
# as one. Most of a file's build time goes into headers, which are then read once a room. It asks of the files of a room
# that the names they keep to themselves differ. Without -DCMAKE_UNITY_BUILD=ON every file is compiled by itself:
# quicker after an edit, slower from nothing.
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

# saccade_optimise(TARGET LEVEL): less than everything, for code that leaves the work to the device (2) or runs once (1).
# It is built in half the time.
function(saccade_optimise target level)
    if(NOT SACCADE_SANITIZE)
        # There GCC 12 takes a check of lengths in std::string for an overflow.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O${level}>
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>)
    endif()
endfunction()

# saccade_precompile(TARGET HEADER...): headers that are read over and over, where every file is compiled by itself.
function(saccade_precompile target)
    if(NOT CMAKE_UNITY_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
