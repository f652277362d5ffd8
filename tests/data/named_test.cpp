#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/files.h"
#include "adassl/data/named/celeba_tables.h"
#include "adassl/data/named/layout.h"
#include "adassl/data/named/three_d_ident.h"
#include "support/error_message.h"
#include "support/small_files.h"
#include "support/small_sets.h"

/// The named data sets, on small drawn sets with the same layouts.
namespace adassl::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::TemporaryDirectory;

class NamedData : public ::testing::Test {
 protected:
  /// The data set `kind` in the folder of this test, and its configuration.
  std::shared_ptr<Files> open(const std::string& kind, const std::string& more = "") {
    config_ = Config::from_text("data.kind = '" + kind + "'\ndata.folder = '" +
                                    folder_.path().string() + "'\nsamples.index = 'none'\n" + more,
                                "test");
    return std::dynamic_pointer_cast<Files>(make_part(sources(), config_, "data", "files", 1));
  }
  std::string mistake(const std::string& kind, const std::string& more = "") {
    return error_of([&] { open(kind, more); });
  }
  /// Replaces a text in a file.
  void change(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = testing::contents(folder_ / file);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    put(folder_ / file, text.replace(at, from.size(), to));
  }
  void write_latents(const std::string& file, const std::vector<float>& values,
                     std::vector<int64_t> shape) const {
    storage::write_npy(folder_ / file, storage::Dtype::kF32, shape,
                       std::as_bytes(std::span(values)));
  }
  static std::vector<std::string> names_of(const Source& source) {
    std::vector<std::string> out;
    for (const Column& column : source.shape().columns) out.push_back(column.name);
    return out;
  }
  static Pair pair_of(const Files& files, int64_t k) {
    random::Sequence draws = random::Stream(1, "pair").at(static_cast<uint32_t>(k));
    return files.pairing().pair(k, draws);
  }

  TemporaryDirectory folder_;
  Config config_;
};

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
                         "https://zenodo.org/record/4502485");
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

TEST_F(NamedData, OfFacesKeepsPeopleApartAndVisitsEveryPair) {
  testing::put_faces(folder_.path(), 25, 6);
  const auto files = open("celeba");
  EXPECT_EQ(names_of(*files), testing::kFaceAttributes);
  EXPECT_EQ(files->shape().observation, (std::vector<int64_t>{3, 64, 64}));
  const SampleSet& set = files->sample_set();
  const DataColumn& people = require_column(set.columns(), "identity", "test");
  std::set<std::string> train, held_out;
  for (const int64_t i : files->split().train) train.insert(people.text(i));
  for (const int64_t i : files->split().validation) held_out.insert(people.text(i));
  std::set<std::string> tested;
  for (const int64_t i : files->split().test) tested.insert(people.text(i));
  EXPECT_TRUE(std::ranges::any_of(tested, [&](const auto& p) { return held_out.contains(p); }))
      << "validation and test share people";
  held_out.insert(tested.begin(), tested.end());
  EXPECT_EQ(train.size(), 20U);
  EXPECT_EQ(held_out.size(), 5U);
  EXPECT_EQ(files->split().validation.size(), 15U);
  EXPECT_EQ(files->split().test.size(), 15U);
  for (const std::string& person : held_out) EXPECT_FALSE(train.contains(person)) << person;
  ASSERT_EQ(files->pair_count(), 20 * 15);
  std::set<std::pair<int64_t, int64_t>> met;
  int swapped = 0;
  for (int64_t k = 0; k < 300; ++k) {
    const Pair pair = pair_of(*files, k);
    EXPECT_EQ(people.text(pair.x), people.text(pair.x_plus));
    swapped += pair.x > pair.x_plus ? 1 : 0;
    met.insert(std::minmax(pair.x, pair.x_plus));
  }
  EXPECT_EQ(met.size(), 300U);
  EXPECT_GT(swapped, 100);
  EXPECT_LT(swapped, 200);
  EXPECT_THAT(set.remarks(), ElementsAre("25 people, where 10177 were published",
                                         "150 photographs, where 202599 were published",
                                         "5 attributes, where 40 were published"));
  EXPECT_NE(open("celeba", "samples.split_seed = 2")->split().test, files->split().test);
}

TEST_F(NamedData, OfFacesKnowsWhichAttributesAreThere) {
  testing::put_faces(folder_.path(), 12, 5);
  const auto files = open("celeba");
  for (int i = 0; i < 60; ++i) {
    const auto face = testing::drawn_face(i, 12);
    for (size_t c = 0; c < face.attributes.size(); ++c) {
      EXPECT_EQ(files->truth().value(c, i), face.attributes[c] ? 1 : 0);
    }
  }
  EXPECT_EQ(files->shape().columns[1].kind, Column::Kind::kBinary);
  ASSERT_EQ(files->shape().change, 5) << "what changes from one photograph to the other";
  const Batch batch = files->pairs({1, "pairs"}, 40);
  EXPECT_THAT(batch.change.values, ::testing::Each(::testing::AnyOf(-1, 0, 1)));
  EXPECT_THAT(batch.change.values, AllOf(Contains(-1), Contains(1)));
}

TEST_F(NamedData, OfFacesPairsAPhotographWithItselfAsOftenAsThePaper) {
  testing::put_faces(folder_.path(), 12, 5);
  const auto files = open("celeba", "data.pairing = 'standard'\nviews.kind = 'strong'");
  EXPECT_EQ(files->pair_count(), 1'850'918);
  const std::vector<int64_t>& train = files->split().train;
  const Pair pair = pair_of(*files, 1'000'003);
  EXPECT_EQ(pair.x, train[1'000'003 % train.size()]);
  EXPECT_EQ(pair.x_plus, pair.x);
  EXPECT_EQ(open("celeba", "data.pairing = 'standard'\npairing.epoch = 0")->pair_count(),
            static_cast<int64_t>(train.size()));
}

TEST_F(NamedData, OfPreparedFacesTakesThePairsOfRows) {
  testing::put_prepared_faces(folder_.path(), 12, 6);
  const auto files = open("celeba", "data.tables = 'prepared'");
  EXPECT_EQ(files->split().train.size(), 54U);
  EXPECT_EQ(files->split().validation.size(), 9U);
  EXPECT_EQ(files->split().test.size(), 9U);
  ASSERT_EQ(files->pair_count(), 9 * 15);
  const DataColumn& people = require_column(files->sample_set().columns(), "identity", "test");
  int swapped = 0;
  for (int64_t k = 0; k < 135; ++k) {
    const Pair pair = pair_of(*files, k);
    EXPECT_EQ(people.text(pair.x), people.text(pair.x_plus));
    swapped += pair.x > pair.x_plus ? 1 : 0;
  }
  EXPECT_GT(swapped, 30);
  EXPECT_LT(swapped, 105);
  EXPECT_EQ(files->sample_set().name(1), "000002.png");
  const auto face = testing::drawn_face(1, 12);
  for (size_t c = 0; c < 5; ++c) {
    EXPECT_EQ(files->truth().value(c, 1), face.attributes[c] ? 1 : 0);
  }
}

TEST_F(NamedData, OfPreparedFacesSaysInOneLineWhatIsWrong) {
  const auto wrong = [&] { return mistake("celeba", "data.tables = 'prepared'"); };
  EXPECT_THAT(wrong(), HasSubstr("expected CelebA's prepared tables, got no attributes_train.txt; "
                                 "they belong to https://github.com/SkrighYZ/AdaSSL, and "
                                 "data.tables = \"raw\" does without"));
  testing::put_prepared_faces(folder_.path(), 8, 4);
  fs::rename(folder_ / "pairs_train.npy", folder_ / "kept.npy");
  EXPECT_THAT(wrong(), HasSubstr("pairs_train.npy"));
  const std::vector<int64_t> far = {0, 90};
  storage::write_npy(folder_ / "pairs_train.npy", storage::Dtype::kI64, {1, 2},
                     std::as_bytes(std::span(far)));
  EXPECT_THAT(wrong(), HasSubstr("expected the number of a sample, 0 to 31, got 90"));
  fs::rename(folder_ / "kept.npy", folder_ / "pairs_train.npy");
  change("attributes_val.txt", "Smiling", "Frowning");
  EXPECT_THAT(wrong(), HasSubstr("attributes_val.txt] expected the columns of "
                                 "attributes_train.txt, got others"));
  change("attributes_train.txt", " filename", " picture");
  EXPECT_THAT(wrong(), HasSubstr("attributes_train.txt:1] expected a column filename, got Eye"));
  put(folder_ / "attributes_train.txt", "Smiling filename\n2 a.png\n");
  EXPECT_THAT(wrong(), HasSubstr("attributes_train.txt:2] Smiling: expected 0 or 1, got '2'"));
  put(folder_ / "attributes_train.txt", "Smiling filename\n1\n");
  EXPECT_THAT(wrong(), HasSubstr("attributes_train.txt:2] expected 2 fields, got 1"));
  put(folder_ / "attributes_train.txt", "Smiling filename\n");
  EXPECT_THAT(wrong(), HasSubstr("expected rows after the header, got none"));
  put(folder_ / "attributes_train.txt", "");
  EXPECT_THAT(wrong(), HasSubstr("expected a header, got an empty file"));
}

TEST_F(NamedData, OfPreparedFacesMayNumberItsRows) {
  put(folder_ / "a.txt", "Smiling filename\n0 1 a.png\n1 0 b.png\n");
  const FaceTable faces = read_prepared_faces(folder_ / "a.txt");
  EXPECT_THAT(faces.files, ElementsAre("a.png", "b.png"));
  EXPECT_THAT(faces.values[0], ElementsAre(1, 0));
  EXPECT_TRUE(faces.people.empty());
}

TEST_F(NamedData, OfFacesSaysInOneLineWhatIsWrong) {
  const auto wrong = [&] { return mistake("celeba"); };
  EXPECT_THAT(wrong(), HasSubstr("expected CelebA, got no list_attr_celeba.txt; it is at "
                                 "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html"));
  testing::put_faces(folder_.path(), 10, 4);
  fs::rename(folder_ / "img_align_celeba", folder_ / "kept");
  EXPECT_THAT(wrong(), HasSubstr("expected CelebA, got no img_align_celeba"));
  EXPECT_NO_THROW(open("celeba", "samples.root = '" + (folder_ / "kept").string() + "'"));
  EXPECT_THAT(mistake("celeba", "samples.root = '/nowhere'"),
              HasSubstr("[samples.root] expected a folder, got '/nowhere'"));
  fs::rename(folder_ / "kept", folder_ / "img_align_celeba");
  fs::rename(folder_ / "identity_CelebA.txt", folder_ / "kept");
  EXPECT_THAT(wrong(), HasSubstr("expected CelebA, got no identity_CelebA.txt"));
  fs::rename(folder_ / "kept", folder_ / "identity_CelebA.txt");
  change("identity_CelebA.txt", "000003.png 102\n", "");
  EXPECT_THAT(wrong(), HasSubstr("identity_CelebA.txt] expected a person for each of 40 images, "
                                 "got none for '000003.png'"));
  change("identity_CelebA.txt", "000004.png 103", "000003.png who");
  EXPECT_THAT(wrong(),
              HasSubstr("identity_CelebA.txt:3] expected the number of a person, got 'who'"));
  change("identity_CelebA.txt", "000003.png who", "999999.png 7");
  EXPECT_THAT(wrong(), HasSubstr("identity_CelebA.txt:3] expected a file of list_attr_celeba.txt, "
                                 "got '999999.png'"));
  change("identity_CelebA.txt", "999999.png 7", "7");
  EXPECT_THAT(wrong(), HasSubstr("expected a file and the number of a person, got 1 fields"));
  change("list_attr_celeba.txt", "000002.png", "../02.png");
  EXPECT_THAT(wrong(), HasSubstr("expected a path below the folder, got '../02.png'"));
  change("list_attr_celeba.txt", "../02.png", "000001.png");
  EXPECT_THAT(wrong(), HasSubstr("expected one row for each file, got '000001.png' twice"));
  change("list_attr_celeba.txt", "40\n", "41\n");
  EXPECT_THAT(wrong(), HasSubstr("expected 41 rows, as the first line says, got 40"));
  put(folder_ / "list_attr_celeba.txt", "2\nA B\nx.png 1 0\ny.png 1 1\n");
  EXPECT_THAT(wrong(), HasSubstr("list_attr_celeba.txt:3] B: expected 1 or -1, got '0'"));
  put(folder_ / "list_attr_celeba.txt", "2\nA B\nx.png 1\ny.png 1 1\n");
  EXPECT_THAT(wrong(), HasSubstr("expected a file and 2 values, got 2 fields"));
  put(folder_ / "list_attr_celeba.txt", "A B\nx.png 1 1\n");
  EXPECT_THAT(wrong(), HasSubstr("expected the number of images in the first line"));
}

TEST_F(NamedData, OfFacesNamesPhotographsThatAreMissing) {
  testing::put_faces(folder_.path(), 10, 4);
  fs::remove(folder_ / "img_align_celeba" / "000007.png");
  EXPECT_THAT(mistake("celeba"), HasSubstr("expected at most 0.01 of 40 samples to be unusable "
                                           "(samples.tolerate), got 1: '000007.png'"));
  EXPECT_EQ(open("celeba", "samples.tolerate = 0.1")->unusable().front().name, "000007.png");
}

TEST_F(NamedData, OfSpeciesDrawsBothFromAPool) {
  testing::put_species(folder_.path(), 6, 8, 4);
  const auto files = open("inat", "views.size = 16\ndata.test_shorter = 18");
  EXPECT_THAT(names_of(*files), ElementsAre("class", "superclass"));
  EXPECT_EQ(files->shape().columns[0].classes, 6);
  EXPECT_EQ(files->shape().columns[1].classes, 3);
  EXPECT_EQ(files->population_size("train"), 48);
  EXPECT_EQ(files->population_size("validation"), 24);
  EXPECT_EQ(files->held_out(), "test");
  ASSERT_EQ(files->pair_count(), 48);
  std::map<int64_t, std::set<int64_t>> drawn;
  for (uint32_t i = 0; i < 400; ++i) {
    random::Sequence draws = random::Stream(1, "pair").at(i);
    const Pair pair = files->pairing().pair(3, draws);
    EXPECT_NE(pair.x, pair.x_plus);
    EXPECT_EQ(files->truth().value(0, pair.x), files->truth().value(0, pair.x_plus));
    drawn[pair.x].insert(pair.x_plus);
  }
  EXPECT_EQ(drawn.size(), 8U) << "x need not be the sample that names the pool";
  EXPECT_EQ(drawn.begin()->second.size(), 7U);
  EXPECT_THAT(config_.resolved(), AllOf(HasSubstr("epoch = \"pools\""), HasSubstr("size = 16"),
                                        HasSubstr("check = \"header\"")));
  EXPECT_THAT(files->sample_set().remarks(), Contains("6 classes, where 5000 were published"));
}

TEST_F(NamedData, OfSpeciesPairsCorruptedImagesWithinTheirSuperclass) {
  testing::put_species(folder_.path(), 6, 8, 4);
  const auto files = open("inat", "data.corruption = 0.5");
  std::string types;
  for (int i = 0; i < 48; ++i) types += i % 2 == 0 ? "1\n" : "0\n";
  put(folder_ / "label_types_n0.5.txt", types);
  const auto listed = open("inat", "data.label_types = 'label_types_n0.5.txt'");
  for (const auto& source : {files, listed}) {
    int beyond = 0;
    for (int64_t k = 0; k < source->pair_count().value(); ++k) {
      const Pair pair = pair_of(*source, k);
      EXPECT_EQ(source->truth().value(1, pair.x), source->truth().value(1, pair.x_plus));
      EXPECT_EQ(source->pairing().group_of(pair.x), source->pairing().group_of(pair.x_plus));
      beyond += source->truth().value(0, pair.x) != source->truth().value(0, pair.x_plus) ? 1 : 0;
    }
    EXPECT_GT(beyond, 5);
    EXPECT_LT(beyond, 25);
  }
  EXPECT_NE(listed->pairing().group_of(0), listed->pairing().group_of(1)) << "a clean and a "
                                                                             "corrupted image";
  EXPECT_EQ(listed->pairing().group_of(0), listed->pairing().group_of(2));
  EXPECT_THAT(names_of(*listed), ElementsAre("class", "superclass"));
  EXPECT_THAT(mistake("inat", "data.corruption = 0.5\ndata.label_types = 'label_types_n0.5.txt'"),
              HasSubstr("expected either corruption or label_types, got both"));
}

TEST_F(NamedData, OfSpeciesSaysInOneLineWhatIsWrong) {
  const auto wrong = [&](const std::string& more = "") { return mistake("inat", more); };
  EXPECT_THAT(wrong(), AllOf(HasSubstr("expected iNat-1M's lists, got no train.txt; they belong to "
                                       "https://github.com/SkrighYZ/AdaSSL"),
                             HasSubstr("https://github.com/visipedia/inat_comp")));
  testing::put_species(folder_.path(), 4, 3, 2);
  EXPECT_THAT(wrong("data.label_types = 'label_types_n1.txt'"),
              HasSubstr("got no label_types_n1.txt"));
  put(folder_ / "label_types_n1.txt", "1\n1\n");
  EXPECT_THAT(wrong("data.label_types = 'label_types_n1.txt'"),
              HasSubstr("expected 12 numbers, one for each training image, got 2"));
  put(folder_ / "label_types_n1.txt", "1\n2\n");
  EXPECT_THAT(wrong("data.label_types = 'label_types_n1.txt'"),
              HasSubstr("label_types_n1.txt:2] expected 0 for a clean image or 1 for a corrupted "
                        "one, got '2'"));
  const std::string list = testing::contents(folder_ / "val.txt");
  const auto with = [&](const std::string& line) {
    put(folder_ / "val.txt", list + line + "\n");
    return wrong();
  };
  EXPECT_THAT(with("a.png 1"), HasSubstr("val.txt:9] expected a path, a class and a superclass, "
                                         "got 2 fields"));
  EXPECT_THAT(with("a.png 5000 1"), HasSubstr("expected a class from 0 to 4999, got '5000'"));
  EXPECT_THAT(with("a.png 1 11"), HasSubstr("expected a superclass from 0 to 10, got '11'"));
  EXPECT_THAT(with("a.png one 1"), HasSubstr("expected a class from 0 to 4999, got 'one'"));
  EXPECT_THAT(with("a.png 1 2"), HasSubstr("expected class 1 in one superclass, got 1 and 2"));
  EXPECT_THAT(with("/etc/a.png 1 1"),
              HasSubstr("val.txt:9] expected a path below the folder, got '/etc/a.png'"));
  EXPECT_THAT(with("x/../../a.png 1 1"), HasSubstr("expected a path below the folder"));
  put(folder_ / "val.txt", "\n");
  EXPECT_THAT(wrong(), HasSubstr("val.txt] expected a line for each image, got none"));
  put(folder_ / "val.txt", list);
  EXPECT_THAT(wrong("samples.root = '/nowhere'"), HasSubstr("samples to be unusable"));
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

TEST(SplitFaces, HoldsOutPeopleAndDividesTheirPhotographs) {
  FaceTable faces;
  for (int32_t i = 0; i < 500; ++i) {
    faces.files.push_back(std::to_string(i));
    faces.people.push_back(i / 5);
  }
  const std::vector<int8_t> parts = split_faces(faces, 0.2, 1);
  EXPECT_EQ(std::ranges::count(parts, 1), 50);
  EXPECT_EQ(std::ranges::count(parts, 2), 50);
  std::reverse(faces.files.begin(), faces.files.end());
  std::reverse(faces.people.begin(), faces.people.end());
  std::vector<int8_t> again = split_faces(faces, 0.2, 1);
  std::reverse(again.begin(), again.end());
  EXPECT_EQ(again, parts) << "the order of the rows does not matter";
  EXPECT_NE(split_faces(faces, 0.2, 2), split_faces(faces, 0.2, 1));
}

}  // namespace
}  // namespace adassl::data
