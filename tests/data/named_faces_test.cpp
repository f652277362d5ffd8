#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "adassl/data/named/celeba_tables.h"
#include "data/named_data.h"

/// The data set of CelebA's layout.
namespace adassl::data {
namespace {

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

TEST_F(NamedData, OfFacesHasOneColumnOfEachName) {
  testing::put_faces(folder_.path(), 10, 4);
  change("list_attr_celeba.txt", "Smiling", "identity");
  EXPECT_EQ(mistake("celeba"), "[" + folder_.path().string() +
                                   "] expected columns of new names, got 'identity', which the "
                                   "data has already");
  change("list_attr_celeba.txt", "identity", "split");
  EXPECT_THAT(mistake("celeba"), HasSubstr("expected columns of new names, got 'split'"));
}

TEST_F(NamedData, OfFacesNamesPhotographsThatAreMissing) {
  testing::put_faces(folder_.path(), 10, 4);
  fs::remove(folder_ / "img_align_celeba" / "000007.png");
  EXPECT_THAT(mistake("celeba"), HasSubstr("expected at most 0.01 of 40 samples to be unusable "
                                           "(samples.tolerate), got 1: '000007.png'"));
  EXPECT_EQ(open("celeba", "samples.tolerate = 0.1")->unusable().front().name, "000007.png");
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
