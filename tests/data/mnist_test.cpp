#include "adassl/data/mnist.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/gzip.h"
#include "support/small_mnist.h"

namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::TemporaryDirectory;

std::vector<float> shrunk(const std::vector<uint8_t>& image) {
  std::vector<float> out(256);
  shrink_digit(image, out);
  return out;
}

TEST(Mnist, ShrinksAConstantToTheSameConstant) {
  for (const float value : shrunk(std::vector<uint8_t>(784, 51))) EXPECT_NEAR(value, 0.2, 1e-6);
  for (const float value : shrunk(std::vector<uint8_t>(784, 255))) {
    EXPECT_NEAR(value, 1, 1e-6);
    EXPECT_LE(value, 1);
  }
}

TEST(Mnist, ShrinksByATriangleOfTheShrunkPixelsWidth) {
  std::vector<uint8_t> image(784);
  image[13 * 28 + 10] = 255;  // a single point: the answer is the weights themselves
  const std::vector<float> out = shrunk(image);
  const auto weight = [](int i, int j) {
    const auto triangle = [&](int at) {
      return std::max(0.0, 1 - std::abs(at + 0.5 - (i + 0.5) * 1.75) / 1.75);
    };
    double sum = 0;
    for (int at = 0; at < 28; ++at) sum += triangle(at);
    return triangle(j) / sum;
  };
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      EXPECT_NEAR(out[static_cast<size_t>(y * 16 + x)], weight(y, 13) * weight(x, 10), 1e-6);
    }
  }
}

TEST(Mnist, ReadsDigitsAndLabels) {
  const Mnist mnist = read_mnist(testing::small_mnist());
  EXPECT_EQ(mnist.train.count(), 60);
  EXPECT_EQ(mnist.test.count(), 20);
  EXPECT_EQ(mnist.train.images.size(), 60U * 256);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(mnist.test.labels[static_cast<size_t>(i)], i % 10);
    EXPECT_NEAR(mnist.test.image(i)[8 * 16 + 8], (255.0 - static_cast<double>(i)) / 255, 1e-6);
  }
}

TEST(Mnist, FindsFilesUnderTheirOtherNames) {
  const TemporaryDirectory folder;
  testing::write_small_mnist(folder.path());
  const Mnist plain = read_mnist(folder.path());
  fs::rename(folder / "train-images-idx3-ubyte", folder / "train-images.idx3-ubyte");
  const auto pack = [&](const std::string& from, const std::string& to) {
    testing::put(folder / to, testing::gzip(testing::contents(folder / from)));
    fs::remove(folder / from);
  };
  pack("train-labels-idx1-ubyte", "train-labels-idx1-ubyte.gz");
  pack("t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte.gz");
  pack("t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte");  // packed, though its name is plain
  const Mnist other = read_mnist(folder.path());
  EXPECT_EQ(other.train.images, plain.train.images);
  EXPECT_EQ(other.train.labels, plain.train.labels);
  EXPECT_EQ(other.test.images, plain.test.images);
  EXPECT_EQ(other.test.labels, plain.test.labels);
}

TEST(Mnist, SaysWhatIsWrongWithAFolder) {
  const TemporaryDirectory folder;
  const auto verdict = [&] { return error_of([&] { read_mnist(folder.path()); }); };
  EXPECT_THAT(verdict(), HasSubstr("expected the MNIST files, got no train-images-idx3-ubyte"));
  EXPECT_THAT(verdict(), HasSubstr("'adassl data mnist --out FOLDER' puts them into one"));
  EXPECT_THAT(error_of([&] { read_mnist(folder / "none"); }),
              HasSubstr("none] expected the MNIST"));
  EXPECT_THAT(error_of([] { read_mnist("no/such"); }),  // relative to where?
              HasSubstr(" in " + (fs::current_path() / "no/such").string() + ";"));

  testing::write_small_mnist(folder.path());
  storage::write_idx(folder / "t10k-labels-idx1-ubyte", testing::small_labels(19));
  EXPECT_THAT(verdict(), HasSubstr("expected 20 labels, one for each image, got 19"));

  storage::write_idx(folder / "t10k-labels-idx1-ubyte", {{1}, {10}});
  storage::write_idx(folder / "t10k-images-idx3-ubyte", testing::small_images(1));
  EXPECT_THAT(verdict(), HasSubstr("expected labels from 0 to 9, got 10"));

  storage::write_idx(folder / "t10k-images-idx3-ubyte", {{1, 2, 3}, {1, 2, 3, 4, 5, 6}});
  EXPECT_THAT(verdict(), HasSubstr("t10k-images-idx3-ubyte] expected images of 28x28, got 2x3"));

  storage::write_idx(folder / "t10k-images-idx3-ubyte", {{0, 28, 28}, {}});
  EXPECT_THAT(verdict(), HasSubstr("expected at least one image, got none"));
}

}  // namespace
}  // namespace adassl::data
