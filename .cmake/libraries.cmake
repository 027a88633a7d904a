# The libraries Saccade stands on. Those of the engine may be bare headers, without CMake files of their own:
# CMAKE_PREFIX_PATH, or the compiler's own CPATH and LIBRARY_PATH, say where they are.
if(DEFINED ENV{CPATH})
    string(REPLACE ":" ";" paths "$ENV{CPATH}")
    list(APPEND CMAKE_INCLUDE_PATH ${paths})
endif()
if(DEFINED ENV{LIBRARY_PATH})
    string(REPLACE ":" ";" paths "$ENV{LIBRARY_PATH}")
    list(APPEND CMAKE_LIBRARY_PATH ${paths})
endif()

# saccade_header_library(TARGET HEADER PACKAGE): TARGET from PACKAGE's CMake files, or from HEADER where it has none.
function(saccade_header_library target header package)
    find_package(${package} CONFIG QUIET)
    if(TARGET ${target})
        return()
    endif()
    string(MAKE_C_IDENTIFIER "${package}_INCLUDE_DIR" variable)
    find_path(${variable} ${header})
    mark_as_advanced(${variable})
    if(NOT ${variable})
        message(FATAL_ERROR "${header} was not found: install it, or name its prefix in CMAKE_PREFIX_PATH")
    endif()
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE "${${variable}}")
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Vulkan REQUIRED)
saccade_header_library(glm::glm glm/glm.hpp glm)
saccade_header_library(nlohmann_json::nlohmann_json nlohmann/json.hpp nlohmann_json)

# VulkanMemoryAllocator is one header; its CMake files differ from release to release and are not needed.
find_path(SACCADE_VMA_INCLUDE_DIR vk_mem_alloc.h PATH_SUFFIXES vma)
mark_as_advanced(SACCADE_VMA_INCLUDE_DIR)
if(NOT SACCADE_VMA_INCLUDE_DIR)
    message(FATAL_ERROR "vk_mem_alloc.h was not found: install VulkanMemoryAllocator, or name its prefix in "
                        "CMAKE_PREFIX_PATH")
endif()
add_library(saccade_vma INTERFACE IMPORTED)
target_include_directories(saccade_vma SYSTEM INTERFACE "${SACCADE_VMA_INCLUDE_DIR}")

if(SACCADE_APP)
    find_package(CLI11 CONFIG REQUIRED)
    find_package(spdlog CONFIG REQUIRED)
    find_package(Freetype REQUIRED)
    find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs videoio)
endif()
