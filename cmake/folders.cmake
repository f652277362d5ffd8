# adassl_folder(NAME USES a b c [TORCH] [PROGRAM]): one library for each folder of src/adassl, static
# or shared as BUILD_SHARED_LIBS says. It is installed as adassl::NAME, except with PROGRAM: such a
# folder serves nothing but the program, and is linked into it.
function(adassl_folder name)
  cmake_parse_arguments(FOLDER "TORCH;PROGRAM" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/adassl/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(target adassl_${name})
  if(FOLDER_PROGRAM)
    add_library(${target} STATIC ${sources})
  else()
    add_library(${target} ${sources})
    adassl_install_folder(${name})
  endif()
  # Without its own -D, a shared library can use the precompiled header of another one.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX DEFINE_SYMBOL "")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  foreach(used ${FOLDER_USES})
    target_link_libraries(${target} PUBLIC adassl_${used})
  endforeach()
  adassl_warnings(${target})
  if(FOLDER_TORCH)
    adassl_use_torch(${target})
    adassl_compile_together(${name})
  endif()
endfunction()

# Most of the time for a file with LibTorch goes into headers, so several files of a folder are
# compiled as one. That needs names that differ: commands and benchmarks share too many.
function(adassl_compile_together name)
  if(name MATCHES "^(nn|bench|cli)$")
    return()
  endif()
  set_target_properties(adassl_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  foreach(alone model/latents/variational evaluation/regression evaluation/change)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/adassl/${alone}.cpp
                                PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# GCC 12 sees overlaps and overflows inside std::string that are not there (its bug 105651).
function(adassl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow)
  endif()
endfunction()
