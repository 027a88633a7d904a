# What `cmake --install` puts below the prefix, where a distribution expects it. Programs and library find the models
# by where they themselves lie, so the prefix may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS saccade-lab COMPONENT program)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/pretrained/" DESTINATION "${CMAKE_INSTALL_DATADIR}/saccade/models"
    COMPONENT models PATTERN training EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    COMPONENT program)

if(TARGET saccade_library)
    install(TARGETS saccade_library EXPORT saccade
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
    install(FILES library/saccade.h library/saccade.hpp library/saccade_vulkan.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development)
    set(package "${CMAKE_INSTALL_LIBDIR}/cmake/saccade")
    install(EXPORT saccade NAMESPACE saccade:: FILE saccade-config.cmake DESTINATION "${package}"
        COMPONENT development)
    write_basic_package_version_file(saccade-config-version.cmake COMPATIBILITY SameMinorVersion)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/saccade-config-version.cmake" DESTINATION "${package}"
        COMPONENT development)
    # pkg-config replaces ${pcfiledir} by where the file lies, so that it may be moved, too.
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    configure_file(library/saccade.pc.in saccade.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/saccade.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT development)
endif()

if(TARGET saccade)
    install(TARGETS saccade COMPONENT program)
endif()
if(TARGET saccade)
    install(FILES desktop/saccade.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications" COMPONENT program)
    install(FILES desktop/saccade.svg DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps"
        COMPONENT program)
    install(FILES desktop/saccade.metainfo.xml DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo" COMPONENT program)

    # The program writes its own man page and completions, from what --help says.
    set(made "${CMAKE_CURRENT_BINARY_DIR}/made")
    file(MAKE_DIRECTORY "${made}")
    set(forms man saccade.1 bash saccade zsh _saccade fish saccade.fish)
    set(files "")
    while(forms)
        list(POP_FRONT forms form file)
        add_custom_command(OUTPUT "${made}/${file}" COMMAND saccade completion ${form} > "${made}/${file}"
            DEPENDS saccade VERBATIM)
        list(APPEND files "${made}/${file}")
    endwhile()
    add_custom_target(saccade_made ALL DEPENDS ${files})
    install(FILES "${made}/saccade.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
    install(FILES "${made}/saccade" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        COMPONENT program)
    install(FILES "${made}/_saccade" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT program)
    install(FILES "${made}/saccade.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        COMPONENT program)
endif()
install(FILES desktop/saccade-lab.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)

if(TARGET saccade_python)
    # scikit-build-core makes a wheel of this: the package's own files come by wheel.packages, library and models lie
    # inside the package.
    if(SKBUILD)
        set(package saccade)
        set_target_properties(saccade_python PROPERTIES INSTALL_RPATH "$ORIGIN")
        install(TARGETS saccade_library LIBRARY DESTINATION "${package}" COMPONENT wheel NAMELINK_SKIP)
        install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/pretrained/" DESTINATION "${package}/share/saccade/models"
            COMPONENT wheel PATTERN training EXCLUDE)
    else()
        set(package lib/python3/dist-packages/saccade)
        set_target_properties(saccade_python PROPERTIES INSTALL_RPATH "$ORIGIN/../../../../${CMAKE_INSTALL_LIBDIR}")
        install(DIRECTORY python/saccade/ DESTINATION "${package}" COMPONENT python
            PATTERN __pycache__ EXCLUDE)
    endif()
    install(TARGETS saccade_python LIBRARY DESTINATION "${package}" COMPONENT python)
endif()
