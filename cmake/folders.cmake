# adassl_folder(NAME USES a b c [TORCH]): one static library for each folder of src/adassl.
function(adassl_folder name)
  cmake_parse_arguments(FOLDER "TORCH" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/adassl/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(adassl_${name} STATIC ${sources})
  set_target_properties(adassl_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(adassl_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  foreach(used ${FOLDER_USES})
    target_link_libraries(adassl_${name} PUBLIC adassl_${used})
  endforeach()
  adassl_warnings(adassl_${name})
  if(FOLDER_TORCH)
    adassl_use_torch(adassl_${name})
  endif()
endfunction()

# GCC 12 sees overlaps and overflows inside std::string that are not there (its bug 105651).
function(adassl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wno-restrict -Wno-stringop-overflow -Werror)
endfunction()
