# LibTorch: Debian's package, or any newer one through CMAKE_PREFIX_PATH. Its headers take 24 s a
# translation unit, so they are precompiled once (in adassl_nn) and reused by every other target but
# the commands, which share CLI11 besides.
find_package(Torch REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/imported.cmake)

function(adassl_use_torch target)
  target_link_libraries(${target} PUBLIC adassl::torch)
  if(target STREQUAL "adassl_nn")
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/adassl/nn/torch.h)
  elseif(target STREQUAL "adassl_cli")  # compiled with few optimisations, so not with that of nn
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_cli.h)
  else()
    target_precompile_headers(${target} REUSE_FROM adassl_nn)
  endif()
endfunction()
