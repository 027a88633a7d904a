# OpenCV by its own CMake files where they are installed. Debian and Ubuntu have those in libopencv-dev alone, which
# brings every module and 400 MB of what they need; the small packages of single modules are found by library and header.
find_package(OpenCV CONFIG QUIET COMPONENTS ${OpenCV_FIND_COMPONENTS})
if(OpenCV_FOUND)
    return()
endif()

find_path(OpenCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4)
mark_as_advanced(OpenCV_INCLUDE_DIR)
set(OpenCV_LIBS "")
foreach(component IN LISTS OpenCV_FIND_COMPONENTS)
    find_library(OpenCV_${component}_LIBRARY NAMES opencv_${component})
    mark_as_advanced(OpenCV_${component}_LIBRARY)
    if(OpenCV_INCLUDE_DIR AND EXISTS "${OpenCV_INCLUDE_DIR}/opencv2/${component}.hpp" AND OpenCV_${component}_LIBRARY)
        set(OpenCV_${component}_FOUND TRUE)
        list(APPEND OpenCV_LIBS opencv_${component})
        if(NOT TARGET opencv_${component})
            add_library(opencv_${component} UNKNOWN IMPORTED)
            set_target_properties(opencv_${component} PROPERTIES
                IMPORTED_LOCATION "${OpenCV_${component}_LIBRARY}"
                INTERFACE_INCLUDE_DIRECTORIES "${OpenCV_INCLUDE_DIR}")
        endif()
    endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCV REQUIRED_VARS OpenCV_INCLUDE_DIR HANDLE_COMPONENTS)
