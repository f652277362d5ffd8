#include "adassl/video/libav.h"

#include <dlfcn.h>

#include "adassl/core/error.h"

namespace adassl::video {

SharedLibrary::SharedLibrary(const char* name)
    : name_(name), handle_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  throw Failure(join("[video] expected the library ", name,
                     " of FFmpeg, by which videos are read: ", dlerror()));
}

SharedLibrary::Symbol SharedLibrary::operator[](const char* function) const {
  void* found = dlsym(handle_, function);
  if (found == nullptr) throw Failure(join("[video] ", name_, " has no function ", function));
  return {found};
}

const Libav& libav() {
  static const Libav all;
  return all;
}

}  // namespace adassl::video
