#include "adassl/storage/checksum.h"

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

TEST(Checksum, IsXxh3WithAHundredAndTwentyEightBits) {
  EXPECT_EQ(Checksum().hex(), "99aa06d3014798d86001c324468d497f");  // as xxhsum -H2 prints it
}

TEST(Checksum, DoesNotDependOnHowBytesArrive) {
  const std::string text(5000, 'x');
  Checksum parts;
  for (size_t i = 0; i < text.size(); i += 7) parts.add(std::string_view(text).substr(i, 7));
  EXPECT_EQ(parts.hex(), Checksum().add(text).hex());
}

TEST(Checksum, GoesOnAfterItWasAskedAndCopied) {
  Checksum first;
  first.add("a");
  const std::string of_a = first.hex();
  Checksum second = first;
  second.add("b");
  EXPECT_EQ(first.hex(), of_a);
  EXPECT_EQ(second.hex(), Checksum().add("ab").hex());
  second = first;
  EXPECT_EQ(second.hex(), of_a);
}

TEST(Checksum, TellsFieldsApart) {
  EXPECT_NE(Checksum().add_field("ab").add_field("c").hex(),
            Checksum().add_field("a").add_field("bc").hex());
}

TEST(Checksum, OfAFileIsThatOfItsFirstBytes) {
  const testing::TemporaryDirectory folder;
  const std::string text((1 << 20) + 100, 'y');
  testing::put(folder / "a", text);
  const InputFile file(folder / "a");
  for (const size_t bytes : {size_t{0}, size_t{10}, text.size()}) {
    EXPECT_EQ(sum_of(file, bytes).hex(), Checksum().add(text.substr(0, bytes)).hex());
  }
}

}  // namespace
}  // namespace adassl::storage
