# What `cmake --install` copies: libraries, headers, the CMake package adassl, and the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Installed programs and libraries find each other wherever the prefix is moved to.
file(RELATIVE_PATH adassl_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/${adassl_bin_to_lib})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(adassl_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/adassl)

function(adassl_install_folder name)
  set(target adassl_${name})
  set_target_properties(${target} PROPERTIES
                        EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${target} EXPORT adassl)
endfunction()

function(adassl_install_package)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/adassl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          FILES_MATCHING PATTERN "*.h"
          PATTERN "*-inl.h" EXCLUDE
          PATTERN "app" EXCLUDE PATTERN "bench" EXCLUDE PATTERN "cli" EXCLUDE
          PATTERN "render" EXCLUDE)
  install(TARGETS adassl adassl-main)  # the launcher looks for adassl-main beside itself
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/studies
          DESTINATION ${CMAKE_INSTALL_DATADIR}/adassl)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/LICENSES.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(EXPORT adassl NAMESPACE adassl:: FILE adasslTargets.cmake
          DESTINATION ${adassl_package_folder})
  set(built ${CMAKE_BINARY_DIR}/package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/adasslConfig.cmake.in
                                ${built}/adasslConfig.cmake
                                INSTALL_DESTINATION ${adassl_package_folder})
  # Before version 1, a new minor version may change what is declared.
  write_basic_package_version_file(${built}/adasslConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${built}/adasslConfig.cmake ${built}/adasslConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/imported.cmake
          DESTINATION ${adassl_package_folder})
endfunction()
