#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "adassl/data/named/celeba_tables.h"
#include "adassl/images/cache.h"
#include "adassl/images/decode.h"
#include "adassl/render/factors.h"
#include "data/named_data.h"

/// The named data sets in general, and the one of 3DIdent's layout.
namespace adassl::data {
namespace {

TEST_F(NamedData, OfShapesHasStandardisedFactorsAndATestFolder) {
  testing::put_shapes(folder_.path(), 40, 12);
  const auto files = open("three_d_ident");
  EXPECT_THAT(names_of(*files), ElementsAre("x", "y", "z", "rotation_x", "rotation_y", "rotation_z",
                                            "spot_angle", "object_hue", "spot_hue", "ground_hue"));
  EXPECT_EQ(files->shape().factors(), 10);
  EXPECT_EQ(files->shape().observation, (std::vector<int64_t>{3, 128, 128}));
  EXPECT_THAT(files->populations(), ElementsAre("train", "test"));
  EXPECT_EQ(files->held_out(), "test");
  EXPECT_EQ(files->population_size("train"), 40);
  EXPECT_EQ(files->population_size("test"), 12);
  EXPECT_EQ(files->sample_set().name(3), "train/images/03.png");
  EXPECT_EQ(files->sample_set().name(40), "test/images/00.png");
  const auto raw = storage::read_npy(folder_ / "train/raw_latents.npy");
  float third = 0;
  std::memcpy(&third, raw.bytes.data() + sizeof(float) * (3 * 10 + 7), sizeof third);
  EXPECT_NEAR(files->truth().value(7, 3), third / std::sqrt(4.0 / 12), 1e-6);
  EXPECT_THAT(files->sample_set().remarks(),
              ElementsAre("40 training images, where 250000 were published",
                          "12 test images, where 25000 were published"));
  EXPECT_EQ(config_.read_text("encoder.kind", "", ""), "resnet");
}

/// Neither folder may include the other.
TEST_F(NamedData, OfShapesCallsTheFactorsAsTheRendererDoes) {
  EXPECT_THAT(three_d_ident_factors(), ::testing::ElementsAreArray(render::kFactorNames));
}

TEST_F(NamedData, OfShapesPairsWithNeighboursOrWithItself) {
  testing::put_shapes(folder_.path(), 60, 12);
  const auto natural = open("three_d_ident");
  ASSERT_EQ(natural->pair_count(), 60);
  double kept = 0, other = 0;
  for (int64_t k = 0; k < 60; ++k) {
    const Pair pair = pair_of(*natural, k);
    EXPECT_EQ(pair.x, k) << "the anchor is the image itself";
    EXPECT_NE(pair.x_plus, k);
    EXPECT_LT(pair.x_plus, 60) << "no test image";
    for (size_t c = 0; c < 10; ++c) {
      kept += std::abs(natural->truth().value(c, k) - natural->truth().value(c, pair.x_plus));
      other += std::abs(natural->truth().value(c, k) - natural->truth().value(c, (k + 7) % 60));
    }
  }
  EXPECT_LT(kept, 0.8 * other);
  const auto standard = open("three_d_ident", "data.pairing = 'standard'\nviews.size = 8");
  EXPECT_EQ(pair_of(*standard, 5).x_plus, 5);
  EXPECT_EQ(config_.read_text("views.kind", "", ""), "strong");
  EXPECT_THAT(config_.resolved(), HasSubstr("solarise = 0.0"));
  const Batch batch = standard->pairs({1, "pairs"}, 4);
  EXPECT_NE(batch.x.bytes, batch.x_plus.bytes);
}

TEST_F(NamedData, OfShapesSaysInOneLineWhatIsWrong) {
  const auto wrong = [&] { return mistake("three_d_ident"); };
  EXPECT_EQ(wrong(), "[" + folder_.path().string() +
                         "] expected 3DIdent, got no train/images; it is at "
                         "https://zenodo.org/record/4502485, and 'adassl data render teapots --out "
                         "DIR' draws pictures of this layout");
  testing::put_shapes(folder_.path(), 12, 11);
  fs::rename(folder_ / "test/raw_latents.npy", folder_ / "kept.npy");
  EXPECT_THAT(wrong(), HasSubstr("expected 3DIdent, got no test/raw_latents.npy; it is at"));
  write_latents("test/raw_latents.npy", std::vector<float>(121), {11, 11});
  EXPECT_THAT(wrong(), HasSubstr("test/raw_latents.npy] expected float32 or float64 of shape "
                                 "[N, 10], got F32 of shape [11, 11]"));
  write_latents("test/raw_latents.npy", std::vector<float>(100), {10, 10});
  EXPECT_THAT(wrong(), HasSubstr("test/images] expected 10 images, one for each row of "
                                 "raw_latents.npy, got 11"));
  std::vector<float> values(110);
  values[25] = 1.5;
  write_latents("test/raw_latents.npy", values, {11, 10});
  EXPECT_THAT(wrong(), HasSubstr("expected raw latents between -1 and 1, got 1.5 in row 2, "
                                 "column 5"));
  values[25] = std::nanf("");
  write_latents("test/raw_latents.npy", values, {11, 10});
  EXPECT_THAT(wrong(), HasSubstr("expected raw latents between -1 and 1, got nan in row 2"));
  fs::rename(folder_ / "kept.npy", folder_ / "test/raw_latents.npy");
  fs::rename(folder_ / "test/images/04.png", folder_ / "test/images/four.png");
  EXPECT_THAT(wrong(), HasSubstr("expected images called by the numbers 0 to 10, got 'four.png'"));
  fs::rename(folder_ / "test/images/four.png", folder_ / "test/images/5.png");
  EXPECT_THAT(wrong(), HasSubstr("expected one image of number 5, got '05.png' and '5.png'"));
  fs::rename(folder_ / "test/images/5.png", folder_ / "test/images/04.png");
  write_latents("train/latents.npy", std::vector<float>(90), {9, 10});
  EXPECT_THAT(wrong(), HasSubstr("train/latents.npy] expected 12 rows, as in raw_latents.npy, "
                                 "got 9"));
  fs::remove(folder_ / "train/latents.npy");
  put(folder_ / "train/raw_latents.npy", "no array");
  EXPECT_THAT(wrong(), HasSubstr("raw_latents.npy]"));
}

/// The images of `folder` as a cache with the tables beside it, as a rendering writes them.
void cache_shapes(const fs::path& folder, const fs::path& file, int64_t train, int64_t test,
                  int64_t absent = -1) {
  std::vector<fs::path> paths;
  for (const char* part : {"train", "test"}) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder / part / "images")) {
      found.push_back(entry.path());
    }
    std::ranges::sort(found);
    paths.insert(paths.end(), found.begin(), found.end());
  }
  ASSERT_EQ(static_cast<int64_t>(paths.size()), train + test);
  images::build_cache(file, {train + test, 64, "shapes"}, [&](int64_t i) {
    if (i == absent) return storage::Image{};
    const std::string bytes = testing::contents(paths[static_cast<size_t>(i)]);
    return images::decode(std::as_bytes(std::span(bytes)));
  });
  std::vector<std::byte> latents;
  std::string table = "path,split\n";
  for (const auto& [part, count] : {std::pair("train", train), {"test", test}}) {
    const auto raw = storage::read_npy(folder / part / "raw_latents.npy");
    latents.insert(latents.end(), raw.bytes.begin(), raw.bytes.end());
    for (int64_t i = 0; i < count; ++i) table += join(i, ",", part, "\n");
  }
  storage::write_npy(fs::path(file) += ".raw_latents.npy", storage::Dtype::kF32, {train + test, 10},
                     latents);
  put(fs::path(file) += ".csv", table);
}

TEST_F(NamedData, OfShapesInACacheMakesTheSamePairs) {
  testing::put_shapes(folder_.path(), 40, 12);
  const fs::path file = folder_ / "shapes.cache";
  cache_shapes(folder_.path(), file, 40, 12);
  const auto cached = [&](const std::string& more = "") {
    Config config = Config::from_text(
        "data.kind = 'three_d_ident'\ndata.folder = '" + file.string() + "'\n" + more, "test");
    return std::dynamic_pointer_cast<Files>(make_part(sources(), config, "data", "files", 1));
  };
  const auto files = open("three_d_ident");
  const auto images = cached();
  EXPECT_EQ(names_of(*images), names_of(*files));
  EXPECT_EQ(images->population_size("train"), 40);
  EXPECT_EQ(images->population_size("test"), 12);
  EXPECT_EQ(images->sample_set().name(3), "train/3");
  EXPECT_EQ(images->sample_set().name(40), "test/40");
  EXPECT_NE(images->sample_set().content(3), images->sample_set().content(4));
  const Batch a = files->pairs({1, "pairs"}, 16), b = images->pairs({1, "pairs"}, 16);
  EXPECT_EQ(a.x.bytes, b.x.bytes);
  EXPECT_EQ(a.x_plus.bytes, b.x_plus.bytes);
  EXPECT_EQ(a.factors.values, b.factors.values);

  const auto wrong = [&](const std::string& more = "") { return error_of([&] { cached(more); }); };
  EXPECT_THAT(wrong("samples.cache = 'another'"),
              HasSubstr("[samples.cache] expected none, since samples.folder is a cache itself"));
  put(file.string() + ".csv", "path,split\n0,train\n");
  EXPECT_THAT(wrong(), HasSubstr("shapes.cache.csv"));
  std::string all_train = "path,split\n";
  for (int i = 0; i < 52; ++i) all_train += join(i, ",train\n");
  put(file.string() + ".csv", all_train);
  EXPECT_THAT(wrong(), HasSubstr("expected training and test images, got none of test: render"));
  fs::remove(file.string() + ".raw_latents.npy");
  EXPECT_THAT(wrong(), HasSubstr("shapes.cache.raw_latents.npy"));
  put(file, "not a cache");
  EXPECT_THAT(wrong(), HasSubstr("shapes.cache] expected a cache of images, got 11 bytes"));
}

TEST_F(NamedData, OfShapesInACacheLeavesOutWhatIsAbsent) {
  testing::put_shapes(folder_.path(), 40, 12);
  const fs::path file = folder_ / "shapes.cache";
  cache_shapes(folder_.path(), file, 40, 12, 5);
  const auto cached = [&](const std::string& more) {
    Config config = Config::from_text(
        "data.kind = 'three_d_ident'\ndata.folder = '" + file.string() + "'\n" + more, "test");
    return std::dynamic_pointer_cast<Files>(make_part(sources(), config, "data", "files", 1));
  };
  EXPECT_EQ(cached("samples.tolerate = 0.1")->unusable(),
            (std::vector<Unusable>{{"train/5", "is absent"}}));
  EXPECT_THAT(error_of([&] { cached(""); }), HasSubstr("'train/5' is absent"));
}

TEST_F(NamedData, OfShapesThatWereRenderedNeedTestImages) {
  testing::put_shapes(folder_.path(), 12, 11);
  put(folder_ / "rendering.json", "{}");
  EXPECT_EQ(open("three_d_ident")->population_size("test"), 11);
  fs::remove_all(folder_ / "test");
  EXPECT_EQ(mistake("three_d_ident"),
            "[" + folder_.path().string() +
                "] expected training and test images, got a rendering without test images: render "
                "another folder with a --test-count above 0");
}

TEST_F(NamedData, IsInTheFolderOfDataOrOfSamples) {
  testing::put_shapes(folder_.path(), 12, 11);
  const std::string here = folder_.path().string();
  Config config = Config::from_text(
      "data.kind = 'three_d_ident'\nsamples.index = 'none'\n"
      "samples.folder = '" +
          here + "'",
      "test");
  make_part(sources(), config, "data", "files", 1);
  EXPECT_THAT(config.resolved(), HasSubstr("kind = \"three_d_ident\"\nfolder = \"" + here + "\""));
  EXPECT_THAT(mistake("three_d_ident", "samples.folder = 'elsewhere'"),
              AllOf(HasSubstr("expected one folder with the data, got data.folder = "),
                    HasSubstr("samples.folder = \"elsewhere\"")));
}

TEST_F(NamedData, RefusesPartsThatContradictItsName) {
  testing::put_shapes(folder_.path(), 12, 11);
  EXPECT_THAT(mistake("three_d_ident", "pairing.kind = 'group'"),
              HasSubstr("data three_d_ident: expected pairing.kind = \"neighbour\", got \"group\"; "
                        "use data.kind = \"files\" to mix parts"));
  const auto weak = open("three_d_ident", "views.kind = 'weak'\nviews.size = 8");
  EXPECT_EQ(weak->shape().observation.back(), 8);
}

TEST_F(NamedData, IsSeenInTheCentreByEvaluations) {
  // Red in the centre of 12 x 12 pixels, green around it; a view of training may see either.
  for (const std::string part : {"train", "test"}) {
    fs::create_directories(folder_ / part / "images");
    std::vector<float> raw;
    for (int i = 0; i < 20; ++i) {
      storage::Image image = testing::canvas(20, 24, {0, 1, 0});
      for (int64_t y = 6; y < 18; ++y) {
        for (int64_t x = 4; x < 16; ++x) {
          image.pixels[static_cast<size_t>(3 * (y * 20 + x))] = 255;
          image.pixels[static_cast<size_t>(3 * (y * 20 + x)) + 1] = 0;
        }
      }
      storage::write_png(folder_ / part / "images" / (std::to_string(i) + ".png"), image);
      for (int c = 0; c < 10; ++c) raw.push_back(static_cast<float>(i) / 20);
    }
    write_latents(part + "/raw_latents.npy", raw, {20, 10});
  }
  const auto green = [&](const std::string& more) {
    const auto files = open("three_d_ident", "views.size = 8\n" + more);
    const std::vector<int64_t> one = {3};
    const Array seen = files->seen_plainly(one);
    return *std::max_element(seen.bytes.begin() + 64, seen.bytes.begin() + 128);
  };
  EXPECT_EQ(green("data.test_crop = 12"), 0);
  EXPECT_EQ(green(""), 255);
  EXPECT_EQ(green("data.test_shorter = 20"), 0) << "the centre of 8 pixels";
}

}  // namespace
}  // namespace adassl::data
