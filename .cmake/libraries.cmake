# The libraries that Saccade needs. Those of the engine may be bare headers, without CMake files of their own:
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

# saccade_library(TARGET HEADER LIBRARY PACKAGE): TARGET from a header and a library, if both are there. If not, the
# program cannot be built, and Debian's PACKAGE has them.
function(saccade_library target header library package)
    string(MAKE_C_IDENTIFIER "SACCADE_${library}" variable)
    find_path(${variable}_INCLUDE_DIR ${header})
    find_library(${variable}_LIBRARY ${library})
    mark_as_advanced(${variable}_INCLUDE_DIR ${variable}_LIBRARY)
    if(${variable}_INCLUDE_DIR AND ${variable}_LIBRARY)
        add_library(${target} INTERFACE IMPORTED GLOBAL)
        target_include_directories(${target} SYSTEM INTERFACE "${${variable}_INCLUDE_DIR}")
        target_link_libraries(${target} INTERFACE "${${variable}_LIBRARY}")
    elseif(SACCADE_APP)
        message(FATAL_ERROR "${header} and lib${library} were not found: install ${package}, or name their prefix in "
                            "CMAKE_PREFIX_PATH")
    endif()
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

# utf8proc, for the tokenizers. saccade-lab does without them: it works on token ids.
saccade_library(saccade_utf8proc utf8proc.h utf8proc libutf8proc-dev)

# FreeType, for what the program and the library draw. saccade-lab does without it.
find_package(Freetype QUIET)

if(SACCADE_APP)
    find_package(CLI11 CONFIG REQUIRED)
    find_package(spdlog CONFIG REQUIRED)
    find_package(Freetype REQUIRED)
    find_package(CURL 7.85 REQUIRED)
    saccade_library(saccade_crypto openssl/evp.h crypto libssl-dev)
    saccade_library(saccade_websockets libwebsockets.h websockets libwebsockets-dev)
    saccade_library(saccade_xcb xcb/xcb.h xcb libxcb1-dev)
    saccade_library(saccade_turbojpeg turbojpeg.h turbojpeg libturbojpeg0-dev)

    # What Wayland desktops show themselves by: PipeWire, and sd-bus to ask for it. Without them there is X11.
    find_path(SACCADE_PIPEWIRE_INCLUDE_DIR pipewire/pipewire.h PATH_SUFFIXES pipewire-0.3)
    find_path(SACCADE_SPA_INCLUDE_DIR spa/param/video/format-utils.h PATH_SUFFIXES spa-0.2)
    find_path(SACCADE_SDBUS_INCLUDE_DIR systemd/sd-bus.h)
    find_library(SACCADE_PIPEWIRE_LIBRARY pipewire-0.3)
    find_library(SACCADE_SDBUS_LIBRARY systemd)
    mark_as_advanced(SACCADE_PIPEWIRE_INCLUDE_DIR SACCADE_SPA_INCLUDE_DIR SACCADE_SDBUS_INCLUDE_DIR
        SACCADE_PIPEWIRE_LIBRARY SACCADE_SDBUS_LIBRARY)
    if(SACCADE_PIPEWIRE_INCLUDE_DIR AND SACCADE_SPA_INCLUDE_DIR AND SACCADE_SDBUS_INCLUDE_DIR
       AND SACCADE_PIPEWIRE_LIBRARY AND SACCADE_SDBUS_LIBRARY)
        set(SACCADE_PORTAL_INCLUDE_DIRS "${SACCADE_PIPEWIRE_INCLUDE_DIR}" "${SACCADE_SPA_INCLUDE_DIR}"
            "${SACCADE_SDBUS_INCLUDE_DIR}")
        list(REMOVE_ITEM SACCADE_PORTAL_INCLUDE_DIRS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
        set(SACCADE_PORTAL_LIBRARIES "${SACCADE_PIPEWIRE_LIBRARY}" "${SACCADE_SDBUS_LIBRARY}")
    endif()
    find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs videoio)
    find_package(glfw3 3.3 CONFIG REQUIRED)

    # FFmpeg's libraries, which come without CMake files.
    add_library(saccade_ffmpeg INTERFACE IMPORTED)
    foreach(part avformat avcodec swscale avutil)
        find_path(SACCADE_${part}_INCLUDE_DIR lib${part}/version.h)
        find_library(SACCADE_${part}_LIBRARY ${part})
        mark_as_advanced(SACCADE_${part}_INCLUDE_DIR SACCADE_${part}_LIBRARY)
        if(NOT SACCADE_${part}_INCLUDE_DIR OR NOT SACCADE_${part}_LIBRARY)
            message(FATAL_ERROR "FFmpeg's lib${part} was not found: install lib${part}-dev, or name its prefix in "
                                "CMAKE_PREFIX_PATH")
        endif()
        target_include_directories(saccade_ffmpeg SYSTEM INTERFACE "${SACCADE_${part}_INCLUDE_DIR}")
        target_link_libraries(saccade_ffmpeg INTERFACE "${SACCADE_${part}_LIBRARY}")
    endforeach()

    # Dear ImGui as Debian has it: one library, its GLFW backend included, on Debian's libstb.
    find_path(SACCADE_IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
    find_library(SACCADE_IMGUI_LIBRARY imgui)
    find_library(SACCADE_STB_LIBRARY stb)
    mark_as_advanced(SACCADE_IMGUI_INCLUDE_DIR SACCADE_IMGUI_LIBRARY SACCADE_STB_LIBRARY)
    if(NOT SACCADE_IMGUI_INCLUDE_DIR OR NOT SACCADE_IMGUI_LIBRARY)
        message(FATAL_ERROR "Dear ImGui was not found: install libimgui-dev, or name its prefix in CMAKE_PREFIX_PATH")
    endif()
    add_library(saccade_imgui INTERFACE IMPORTED)
    target_include_directories(saccade_imgui SYSTEM INTERFACE "${SACCADE_IMGUI_INCLUDE_DIR}")
    target_link_libraries(saccade_imgui INTERFACE "${SACCADE_IMGUI_LIBRARY}" glfw)
    if(SACCADE_STB_LIBRARY)
        target_link_libraries(saccade_imgui INTERFACE "${SACCADE_STB_LIBRARY}")
    endif()
endif()
