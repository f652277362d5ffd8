# Targets for libraries that do not come with usable ones. The build and the installed package both
# read this file, so that the exported targets find these names again.
if(NOT TARGET adassl::xxhash)
  find_library(XXHASH_LIBRARY xxhash)
  add_library(adassl::xxhash INTERFACE IMPORTED GLOBAL)
  target_link_libraries(adassl::xxhash INTERFACE ${XXHASH_LIBRARY})
endif()

if(NOT TARGET adassl::webp)
  find_library(WEBP_LIBRARY webp)
  add_library(adassl::webp INTERFACE IMPORTED GLOBAL)
  target_link_libraries(adassl::webp INTERFACE ${WEBP_LIBRARY})
endif()

if(Torch_FOUND AND NOT TARGET adassl::torch)
  add_library(adassl::torch INTERFACE IMPORTED GLOBAL)
  target_include_directories(adassl::torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(adassl::torch INTERFACE ${TORCH_LIBRARIES})
endif()
