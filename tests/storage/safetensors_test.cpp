#include "adassl/storage/safetensors.h"

#include <cstring>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::contents;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::in_child;
using testing::limit_file_size;
using testing::put;
using testing::TemporaryDirectory;

template <class T>
TensorView view(const std::string& name, Dtype dtype, std::vector<int64_t> shape,
                const std::vector<T>& values) {
  return {name, dtype, std::move(shape), std::as_bytes(std::span(values))};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};

TEST(Dtype, NamesAndSizesAreThoseOfTheFormat) {
  EXPECT_EQ(name_of(Dtype::kBF16), "BF16");
  EXPECT_EQ(size_of(Dtype::kBF16), 2U);
  EXPECT_EQ(size_of(Dtype::kI64), 8U);
  EXPECT_EQ(size_of(Dtype::kBool), 1U);
  for (const char* name : {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"}) {
    ASSERT_TRUE(dtype_named(name)) << name;
    EXPECT_EQ(name_of(*dtype_named(name)), name);
  }
  EXPECT_FALSE(dtype_named("f32"));
}

TEST(Dtype, ByteCountNoticesEveryOverflow) {
  EXPECT_EQ(byte_count(Dtype::kF32, {}), 4U);
  EXPECT_EQ(byte_count(Dtype::kF32, std::vector<int64_t>{2, 3}), 24U);
  EXPECT_EQ(byte_count(Dtype::kF32, std::vector<int64_t>{2, 0, 3}), 0U);
  const int64_t large = int64_t{1} << 62;
  EXPECT_FALSE(byte_count(Dtype::kF32, std::vector<int64_t>{-1}));
  EXPECT_FALSE(byte_count(Dtype::kF32, std::vector<int64_t>{large}));
  EXPECT_FALSE(byte_count(Dtype::kU8, std::vector<int64_t>{large, 4}));
  EXPECT_FALSE(byte_count(Dtype::kU8, std::vector<int64_t>{0, large, 4}));
}

TEST(Safetensors, RoundTripsEveryDtype) {
  const TemporaryDirectory folder;
  std::vector<std::byte> bytes(48);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
  std::vector<TensorView> tensors;
  for (int i = 0; i <= static_cast<int>(Dtype::kI64); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const size_t size = 6 * size_of(dtype);
    tensors.push_back(
        {"t." + std::string(name_of(dtype)), dtype, {2, 3}, std::span(bytes).first(size)});
  }
  write_safetensors(folder / "a", tensors, {{"step", "12"}, {"note", "\"quoted\" \n ü"}});
  const Safetensors file = Safetensors::read(folder / "a");
  EXPECT_EQ(file.metadata().at("step"), "12");
  EXPECT_EQ(file.metadata().at("note"), "\"quoted\" \n ü");
  EXPECT_EQ(file.names().size(), tensors.size());
  for (const TensorView& tensor : tensors) {
    ASSERT_TRUE(file.has(tensor.name));
    const TensorView found = file.at(tensor.name);
    EXPECT_EQ(found.name, tensor.name);
    EXPECT_EQ(found.dtype, tensor.dtype);
    EXPECT_EQ(found.shape, tensor.shape);
    EXPECT_EQ(text_of(found.bytes), text_of(tensor.bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(found.bytes.data()) % size_of(found.dtype), 0U);
  }
}

TEST(Safetensors, HoldsScalarsEmptyTensorsAndNoTensorsAtAll) {
  const TemporaryDirectory folder;
  const std::vector<double> one = {2.5};
  write_safetensors(folder / "a",
                    {view("scalar", Dtype::kF64, {}, one),
                     {"none", Dtype::kF32, {0, 7}, {}},
                     {"also none", Dtype::kF32, {0}, {}}},
                    {});
  const Safetensors file = Safetensors::read(folder / "a");
  EXPECT_TRUE(file.at("scalar").shape.empty());
  EXPECT_EQ(file.at("scalar").bytes.size(), 8U);
  EXPECT_THAT(file.at("none").shape, ElementsAre(0, 7));
  write_safetensors(folder / "b", {}, {});
  EXPECT_TRUE(Safetensors::read(folder / "b").names().empty());
}

TEST(Safetensors, AreTheBytesThatThePackageWrites) {
  const TemporaryDirectory folder;
  write_safetensors(folder / "a", {view("attn.0", Dtype::kF32, {1, 2, 3}, kSix)}, {});
  std::string expected("\x40\0\0\0\0\0\0\0", 8);
  expected += R"({"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}})";
  expected += std::string("\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@", 24);
  EXPECT_EQ(contents(folder / "a"), expected);
  write_safetensors(folder / "b", {}, {});
  EXPECT_EQ(contents(folder / "b"), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  write_safetensors(folder / "c", {}, {{"framework", "pt"}});
  EXPECT_EQ(contents(folder / "c"),
            std::string("\x28\0\0\0\0\0\0\0", 8) + R"({"__metadata__":{"framework":"pt"}}     )");
}

TEST(Safetensors, AreSortedByDtypeThenNameAsThePackageDoes) {
  const TemporaryDirectory folder;
  const std::vector<int64_t> wide = {7};
  const std::vector<uint8_t> small = {1, 2, 3};
  const std::vector<float> real = {1};
  write_safetensors(folder / "a",
                    {view("a", Dtype::kU8, {3}, small), view("z", Dtype::kF32, {1}, real),
                     view("b", Dtype::kF32, {1}, real), view("c", Dtype::kI64, {1}, wide)},
                    {});
  EXPECT_THAT(contents(folder / "a"),
              HasSubstr(R"({"c":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
                        R"("z":{"dtype":"F32","shape":[1],"data_offsets":[12,16]},)"
                        R"("a":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})"));
}

TEST(Safetensors, ReadsAnyOrderAndAnySpacing) {
  const TemporaryDirectory folder;
  const std::string header = R"({ "b" : {"shape":[2], "data_offsets":[1,3], "dtype":"U8"},
    "a" : {"dtype":"BOOL","shape":[],"data_offsets":[0,1]} , "__metadata__":{"k":"v"} }  )";
  put(folder / "a",
      std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "xyz");
  const Safetensors file = Safetensors::read(folder / "a");
  EXPECT_THAT(file.names(), ElementsAre("a", "b"));
  EXPECT_EQ(text_of(file.at("b").bytes), "yz");
  EXPECT_EQ(file.metadata().at("k"), "v");
}

TEST(Safetensors, NamesTheNearestTensorWhenOneIsAbsent) {
  const TemporaryDirectory folder;
  write_safetensors(folder / "a", {view("encoder.weight", Dtype::kF32, {6}, kSix)}, {});
  const Safetensors file = Safetensors::read(folder / "a");
  EXPECT_FALSE(file.has("encoder.wieght"));
  EXPECT_EQ(error_of([&] { file.at("encoder.wieght"); }),
            "[" + (folder / "a").string() +
                "] no tensor 'encoder.wieght'; did you mean 'encoder.weight'?");
}

TEST(Safetensors, RefuseToWriteWhatCouldNotBeRead) {
  const TemporaryDirectory folder;
  const auto error = [&](const std::vector<TensorView>& tensors) {
    return error_of([&] { write_safetensors(folder / "a", tensors, {}); });
  };
  const TensorView good = view("a", Dtype::kF32, {6}, kSix);
  EXPECT_THAT(error({good, good}), HasSubstr("two tensors have this name"));
  EXPECT_THAT(error({view("a", Dtype::kF32, {7}, kSix)}), HasSubstr("expected 28 bytes"));
  EXPECT_THAT(error({view("a", Dtype::kF32, {-6}, kSix)}), HasSubstr("'a': expected"));
  EXPECT_THAT(error({view("__metadata__", Dtype::kF32, {6}, kSix)}), HasSubstr("this name"));
  EXPECT_THAT(error({view("\xff", Dtype::kF32, {6}, kSix)}), HasSubstr("not valid UTF-8"));
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(Safetensors, KeepTheOldFileWhenTheDiskIsFull) {
  const TemporaryDirectory folder;
  write_safetensors(folder / "a", {view("old", Dtype::kF32, {6}, kSix)}, {});
  const std::vector<float> large(10'000);
  EXPECT_THAT(in_child([&] {
                limit_file_size(8192);
                return error_of([&] {
                  write_safetensors(folder / "a", {view("new", Dtype::kF32, {10'000}, large)}, {});
                });
              }),
              HasSubstr("cannot be written: File too large"));
  EXPECT_TRUE(Safetensors::read(folder / "a").has("old"));
  EXPECT_EQ(folder.entries(), 1U);
}

}  // namespace
}  // namespace adassl::storage
