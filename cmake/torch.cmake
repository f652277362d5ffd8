# LibTorch: Debian's package, or any newer one through CMAKE_PREFIX_PATH. Its headers take 24 s a
# translation unit, so they are precompiled once (in adassl_nn) and reused by every other target.
find_package(Torch REQUIRED)

add_library(adassl_torch INTERFACE)
target_include_directories(adassl_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(adassl_torch INTERFACE ${TORCH_LIBRARIES})

function(adassl_use_torch target)
  target_link_libraries(${target} PUBLIC adassl_torch)
  if(target STREQUAL "adassl_nn")
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/adassl/nn/torch.h)
  else()
    target_precompile_headers(${target} REUSE_FROM adassl_nn)
  endif()
endfunction()
