#include "adassl/render/dataset.h"

#include <fstream>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/images/cache.h"
#include "adassl/images/decode.h"
#include "adassl/kernels/threads.h"
#include "adassl/storage/csv.h"
#include "adassl/storage/npy.h"
#include "render/pot.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace adassl::testing {
namespace {

namespace fs = std::filesystem;
using render::DatasetOptions;
using ::testing::HasSubstr;

/// More training pictures than are rendered at once.
const DatasetOptions kOptions = {150, 12, 7, {8, 2, 1}};

/// All files below a folder with their bytes.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      out[fs::relative(entry.path(), folder).string()] = contents(entry.path());
    }
  }
  return out;
}

std::vector<float> floats_of(const storage::NpyArray& array) {
  std::vector<float> out(array.bytes.size() / sizeof(float));
  std::copy(array.bytes.begin(), array.bytes.end(), std::as_writable_bytes(std::span(out)).begin());
  return out;
}

class RenderedFolder : public ::testing::Test {
 protected:
  void TearDown() override { kernels::set_threads(1); }

  int64_t render(const fs::path& to, const DatasetOptions& options = kOptions) {
    return render::render_folder(to, pot(), options, {});
  }

  TemporaryDirectory folder_;
};

TEST_F(RenderedFolder, HasTheLayoutOf3DIdent) {
  const fs::path out = folder_ / "deep/teapots";
  EXPECT_EQ(render(out), 162);
  EXPECT_TRUE(fs::exists(out / "train/images/000.png"));
  EXPECT_TRUE(fs::exists(out / "train/images/149.png"));
  EXPECT_FALSE(fs::exists(out / "train/images/150.png"));
  EXPECT_TRUE(fs::exists(out / "test/images/00.png"));
  EXPECT_TRUE(fs::exists(out / "test/images/11.png"));
  EXPECT_EQ(files_of(out).size(), 162 + 6);
  const storage::NpyArray raw = storage::read_npy(out / "train/raw_latents.npy");
  const storage::NpyArray made = storage::read_npy(out / "train/latents.npy");
  for (const storage::NpyArray* array : {&raw, &made}) {
    EXPECT_EQ(array->shape, (std::vector<int64_t>{150, 10}));
    EXPECT_EQ(array->dtype, storage::Dtype::kF32);
  }
  EXPECT_EQ(storage::read_npy(out / "test/raw_latents.npy").shape, (std::vector<int64_t>{12, 10}));
  const auto values = floats_of(raw);
  const auto physical = floats_of(made);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_FLOAT_EQ(physical[i], values[i] * (i % 10 < 3 ? 3 : render::kPi / 2));
  }
}

TEST_F(RenderedFolder, PicturesShowTheirFactors) {
  render(folder_ / "out");
  const auto raw = floats_of(storage::read_npy(folder_ / "out/train/raw_latents.npy"));
  for (const int64_t i : {0, 77, 149}) {
    render::Factors factors;
    std::copy_n(raw.begin() + 10 * i, 10, factors.begin());
    const std::string png =
        contents(folder_ / "out/train/images" / render::file_name(i, kOptions.count));
    const storage::Image image = images::decode(std::as_bytes(std::span(png)));
    const random::Stream noise(7, "teapots noise train", static_cast<uint64_t>(i));
    EXPECT_EQ(image.pixels,
              render::render(render::make_scene(pot(), factors), kOptions.quality, noise).pixels);
  }
}

TEST_F(RenderedFolder, TheTableHasStandardisedFactors) {
  render(folder_ / "out");
  const auto raw = floats_of(storage::read_npy(folder_ / "out/test/raw_latents.npy"));
  storage::CsvReader reader(folder_ / "out/factors.csv");
  ASSERT_EQ(reader.columns().size(), 12);
  EXPECT_EQ(reader.columns()[9], "object_hue");
  std::vector<std::string> row;
  for (int i = 0; i < 151; ++i) ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row[0], "test/images/00.png");
  EXPECT_EQ(row[1], "test");
  for (size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(std::stod(row[2 + k]), raw[k] / std::sqrt(1.0 / 3), 1e-5);
  }
}

TEST_F(RenderedFolder, DoesNotDependOnTheNumberOfThreads) {
  render(folder_ / "1");
  const auto expected = files_of(folder_ / "1");
  for (const int threads : {2, 5}) {
    kernels::set_threads(threads);
    const std::string name = std::to_string(threads);
    render(folder_ / name);
    EXPECT_TRUE(files_of(folder_ / name) == expected) << threads << " threads";
  }
}

TEST_F(RenderedFolder, ContinuesAfterAnInterruption) {
  struct Stop {};
  render(folder_ / "whole");
  const fs::path out = folder_ / "stopped";
  EXPECT_THROW(render::render_folder(out, pot(), kOptions,
                                     [](int64_t, int64_t, const std::string&) { throw Stop(); }),
               Stop);
  EXPECT_EQ(files_of(out / "train/images").size(), 128);
  EXPECT_FALSE(fs::exists(out / "test/images/00.png"));
  put(out / "train/images/005.png", "");  // a file that was lost,
  put(out / "train/images/006.png",       // and a broken one
      contents(out / "train/images/006.png").substr(0, 90));
  fs::remove(out / "factors.csv");
  for (const char* leftover :
       {".factors.csv.77-2.tmp", "train/.latents.npy.77-1.tmp", "train/images/.007.png.77-9.tmp"}) {
    put(out / leftover, "of a killed process");
  }
  EXPECT_EQ(render(out), 162 - 126);
  EXPECT_TRUE(files_of(out) == files_of(folder_ / "whole"));
  EXPECT_EQ(render(out), 0);
}

TEST_F(RenderedFolder, BeginsAgainWhereTheFirstFileWasNotWritten) {
  const fs::path out = folder_ / "out";
  fs::create_directory(out);
  put(out / ".rendering.json.77-0.tmp", "{\"scene\"");
  EXPECT_EQ(render(out), 162);
  EXPECT_FALSE(fs::exists(out / ".rendering.json.77-0.tmp"));
}

TEST_F(RenderedFolder, IsRenderedByOneProcessAtATime) {
  const fs::path out = folder_ / "out";
  int refused = 0;
  render::render_folder(out, pot(), kOptions, [&](int64_t, int64_t, const std::string&) {
    refused += error_of([&] { render(out); }) ==
                       "[" + out.string() + "] is being rendered by another process"
                   ? 1
                   : 0;
  });
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(render(out), 0);
}

TEST_F(RenderedFolder, TrainingPicturesDoNotDependOnTheTest) {
  DatasetOptions options = kOptions;
  render(folder_ / "a");
  options.test_count = 0;
  EXPECT_EQ(render(folder_ / "b", options), 150);
  EXPECT_FALSE(fs::exists(folder_ / "b/test"));
  EXPECT_TRUE(files_of(folder_ / "a/train") == files_of(folder_ / "b/train"));
  EXPECT_NE(contents(folder_ / "a/train/images/000.png"),
            contents(folder_ / "a/test/images/00.png"));
}

TEST_F(RenderedFolder, RefusesAnotherRenderingAndOtherFiles) {
  render(folder_ / "out");
  DatasetOptions options = kOptions;
  options.seed = 8;
  const auto before = files_of(folder_ / "out");
  EXPECT_THAT(error_of([&] { render(folder_ / "out", options); }),
              HasSubstr("expected a new folder, or one with the rendering {\"scene\""));
  EXPECT_TRUE(files_of(folder_ / "out") == before);
  fs::create_directory(folder_ / "photos");
  put(folder_ / "photos/a.png", "mine");
  EXPECT_THAT(error_of([&] { render(folder_ / "photos"); }),
              HasSubstr("photos] expected a new folder"));
  EXPECT_EQ(files_of(folder_ / "photos").size(), 1);
}

TEST_F(RenderedFolder, ReportsProgress) {
  std::vector<int64_t> seen;
  render::render_folder(folder_ / "out", pot(), kOptions,
                        [&](int64_t done, int64_t total, const std::string&) {
                          EXPECT_EQ(total, 162);
                          seen.push_back(done);
                        });
  EXPECT_EQ(seen, (std::vector<int64_t>{128, 150, 162}));
}

TEST_F(RenderedFolder, AFolderThatCannotBeWrittenIsAnError) {
  put(folder_ / "file", "x");
  EXPECT_THAT(error_of([&] { render(folder_ / "file/below"); }), HasSubstr("cannot be made"));
}

/// The lines of a table without the first field, which names the picture.
std::vector<std::string> without_names(const fs::path& table) {
  std::ifstream in(table);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line.substr(line.find(',')));
  return out;
}

/// The tables beside a cache.
std::vector<std::string> tables_of(const fs::path& cache) {
  std::vector<std::string> out;
  for (const char* ending : {".csv", ".raw_latents.npy", ".latents.npy"}) {
    out.push_back(contents(cache.string() + ending));
  }
  return out;
}

TEST(RenderedCache, HoldsThePixelsOfTheFolder) {
  const TemporaryDirectory folder;
  render::render_folder(folder / "out", pot(), kOptions, {});
  const fs::path file = folder / "deep/pots.cache";
  EXPECT_EQ(render::render_cache(file, pot(), kOptions, {}), 162);
  const images::Cache cache(file, {162, 8, render::description(pot(), kOptions, true)});
  const auto expect_same = [&](int64_t number, const std::string& name) {
    const std::string png = contents(folder / "out" / name);
    const storage::Image image = images::decode(std::as_bytes(std::span(png)));
    const images::Pixels pixels = cache.image(number);
    EXPECT_TRUE(std::ranges::equal(pixels.bytes, image.pixels)) << name;
  };
  expect_same(0, "train/images/000.png");
  expect_same(149, "train/images/149.png");
  expect_same(150, "test/images/00.png");
  expect_same(161, "test/images/11.png");
  const auto raw = floats_of(storage::read_npy(folder / "deep/pots.cache.raw_latents.npy"));
  const auto test = floats_of(storage::read_npy(folder / "out/test/raw_latents.npy"));
  EXPECT_EQ(raw.size(), 1620);
  EXPECT_TRUE(std::equal(test.begin(), test.end(), raw.begin() + 1500));
  const auto made = floats_of(storage::read_npy(folder / "deep/pots.cache.latents.npy"));
  const auto test_made = floats_of(storage::read_npy(folder / "out/test/latents.npy"));
  EXPECT_TRUE(std::equal(test_made.begin(), test_made.end(), made.begin() + 1500));
}

TEST(RenderedCache, HasTheTableOfTheFolderWithNumbersForNames) {
  const TemporaryDirectory folder;
  render::render_folder(folder / "out", pot(), kOptions, {});
  render::render_cache(folder / "pots.cache", pot(), kOptions, {});
  EXPECT_EQ(without_names(folder / "pots.cache.csv"), without_names(folder / "out/factors.csv"));
  storage::CsvReader reader(folder / "pots.cache.csv");
  EXPECT_EQ(reader.columns()[0], "path");
  std::vector<std::string> row;
  for (int i = 0; i < 162; ++i) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(row[0], std::to_string(i));
    EXPECT_EQ(row[1], i < 150 ? "train" : "test");
  }
  EXPECT_FALSE(reader.next(row));
}

TEST(RenderedCache, KeepsItsTablesWhenAnotherSeedIsRefused) {
  const TemporaryDirectory folder;
  render::render_cache(folder / "expected", pot(), kOptions, {});
  DatasetOptions other = kOptions;
  other.seed = 8;
  const fs::path file = folder / "pots.cache";
  std::thread second;
  std::string refusal;
  render::render_cache(file, pot(), kOptions, [&](int64_t, int64_t, const std::string&) {
    if (second.joinable()) return;
    second = std::thread(  // waits for the first one, and is refused then
        [&] { refusal = error_of([&] { render::render_cache(file, pot(), other, {}); }); });
  });
  second.join();
  EXPECT_THAT(refusal, HasSubstr("got that of others"));
  EXPECT_TRUE(tables_of(file) == tables_of(folder / "expected"));
  EXPECT_THAT(error_of([&] { render::render_cache(file, pot(), other, {}); }),
              HasSubstr("got that of others"));
  EXPECT_TRUE(tables_of(file) == tables_of(folder / "expected"));
}

TEST(RenderedCache, RestoresLostTables) {
  const TemporaryDirectory folder;
  const fs::path file = folder / "pots.cache";
  render::render_cache(file, pot(), kOptions, {});
  const auto before = tables_of(file);
  fs::remove(file.string() + ".csv");
  fs::remove(file.string() + ".latents.npy");
  EXPECT_EQ(render::render_cache(file, pot(), kOptions, {}), 0);
  EXPECT_TRUE(tables_of(file) == before);
}

TEST(RenderedCache, ContinuesAfterAnInterruptionAndRefusesAnother) {
  struct Stop {};
  const TemporaryDirectory folder;
  render::render_cache(folder / "whole", pot(), kOptions, {});
  const auto stop = [](int64_t done, int64_t, const std::string&) {
    if (done >= 64) throw Stop();
  };
  EXPECT_THROW(render::render_cache(folder / "stopped", pot(), kOptions, stop), Stop);
  EXPECT_FALSE(fs::exists(folder / "stopped"));
  kernels::set_threads(3);
  EXPECT_EQ(render::render_cache(folder / "stopped", pot(), kOptions, {}), 162 - 64);
  kernels::set_threads(1);
  EXPECT_EQ(contents(folder / "stopped"), contents(folder / "whole"));
  EXPECT_EQ(render::render_cache(folder / "stopped", pot(), kOptions, {}), 0);
  DatasetOptions other = kOptions;
  other.quality.samples = 3;
  EXPECT_THAT(error_of([&] { render::render_cache(folder / "stopped", pot(), other, {}); }),
              HasSubstr("got that of others"));
}

TEST(RenderedFiles, AreNumberedAs3DIdentNumbersThem) {
  EXPECT_EQ(render::file_name(0, 1), "0.png");
  EXPECT_EQ(render::file_name(7, 10), "7.png");
  EXPECT_EQ(render::file_name(7, 11), "07.png");
  EXPECT_EQ(render::file_name(7, 100), "07.png");
  EXPECT_EQ(render::file_name(42, 25'000), "00042.png");
  EXPECT_EQ(render::file_name(249'999, 250'000), "249999.png");
}

TEST(RenderedFiles, OptionsHaveRanges) {
  const auto message = [](auto change) {
    DatasetOptions options;
    change(options);
    return error_of([&] { render::require_valid(options); });
  };
  EXPECT_THAT(message([](auto& o) { o.count = 0; }),
              HasSubstr("[render] count: expected 1 to 100000000, got 0"));
  EXPECT_THAT(message([](auto& o) { o.test_count = -1; }), HasSubstr("test-count: expected 0"));
  EXPECT_THAT(message([](auto& o) { o.quality.size = 5000; }), HasSubstr("size: expected 4"));
  EXPECT_THAT(message([](auto& o) { o.quality.samples = 0; }), HasSubstr("samples: expected 1"));
  EXPECT_THAT(message([](auto& o) { o.quality.shadow_rays = 0; }), HasSubstr("shadow-rays:"));
}

}  // namespace
}  // namespace adassl::testing
