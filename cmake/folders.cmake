# adassl_folder(NAME USES a b c [TORCH] [PROGRAM] [COLD]): one library for each folder of src/adassl, static
# or shared as BUILD_SHARED_LIBS says. It is installed as adassl::NAME, except with PROGRAM: such a
# folder serves nothing but the program, and is linked into it. COLD: no work that takes time is done
# in it, so that it is compiled with few optimisations, in two thirds of the time.
function(adassl_folder name)
  cmake_parse_arguments(FOLDER "TORCH;PROGRAM;COLD" "" "USES" ${ARGN})
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
  if(FOLDER_COLD)
    target_compile_options(${target} PRIVATE -O1)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # with -O1 it takes an empty optional for a mistake
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
  # A precompiled header serves targets of the same optimisation only: GCC 12 can crash otherwise.
  if(FOLDER_TORCH)
    adassl_use_torch(${target})
    adassl_compile_together(${name})
  elseif(name MATCHES "^(core|parts)$")  # the first of the others, and the first of the cold ones
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.h)
  elseif(FOLDER_COLD)
    target_precompile_headers(${target} REUSE_FROM adassl_parts)
  elseif(NOT name MATCHES "^(kernels|images)$")  # their files include little, but many intrinsics
    target_precompile_headers(${target} REUSE_FROM adassl_core)
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
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow
                                             -Wno-array-bounds)
  endif()
endfunction()
