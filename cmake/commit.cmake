# generated/commit.h names the commit that is built, asked anew at every build: records carry it.
# A "+" marks a tree with changes that are not committed.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.22)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+ --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit)
    set(commit unknown)
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
       "#pragma once\n\nconstexpr const char* kCommit = \"@commit@\";\n" @ONLY)
else()
  set(commit_header ${CMAKE_BINARY_DIR}/generated/commit.h)
  add_custom_target(adassl_commit BYPRODUCTS ${commit_header}
                    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${commit_header}
                            -P ${CMAKE_CURRENT_LIST_FILE})
  add_dependencies(adassl_core adassl_commit)
  target_include_directories(adassl_core PRIVATE ${CMAKE_BINARY_DIR}/generated)
endif()
