#include "adassl/storage/npy.h"

#include <algorithm>
#include <cstring>

#include "adassl/adassl.h"

namespace adassl {

using storage::Dtype;

Array read_npy(const std::filesystem::path& path) {
  const storage::NpyArray file = storage::read_npy(path);
  const auto make = [&](Element element) { return make_array(file.shape, element); };
  switch (file.dtype) {
    case Dtype::kF32: {
      Array out = make(Element::kFloat32);
      std::memcpy(out.values.data(), file.bytes.data(), file.bytes.size());
      return out;
    }
    case Dtype::kU8: {
      Array out = make(Element::kUint8);
      std::memcpy(out.bytes.data(), file.bytes.data(), file.bytes.size());
      return out;
    }
    case Dtype::kF64: {
      Array out = make(Element::kFloat32);
      for (size_t i = 0; i < out.values.size(); ++i) {
        double number = 0;
        std::memcpy(&number, file.bytes.data() + i * sizeof number, sizeof number);
        out.values[i] = static_cast<float>(number);
      }
      return out;
    }
    default:
      throw Error(join("[", path.string(), "] expected float32, float64 or uint8 numbers, got ",
                       storage::name_of(file.dtype)));
  }
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  const bool bytes = array.element() == Element::kUint8;
  const auto data =
      bytes ? std::as_bytes(std::span(array.bytes)) : std::as_bytes(std::span(array.values));
  storage::write_npy(path, bytes ? Dtype::kU8 : Dtype::kF32, array.shape, data);
}

}  // namespace adassl
