#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "adassl/data/named/celeba_tables.h"
#include "data/named_data.h"

/// The data set of iNat-1M's layout.
namespace adassl::data {
namespace {

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

TEST_F(NamedData, OfSpeciesMayHaveViewsLargerThanTheShorterSideInTests) {
  testing::put_species(folder_.path(), 4, 3, 2);
  const auto at_size = [&](const char* size, const char* more) {
    return open("inat", std::string("views.size = ") + size + "\n" + more);
  };
  const auto larger = at_size("288", "");  // data.test_shorter is 256
  const Samples seen = larger->samples("test", {1, "test"}, 2);
  EXPECT_EQ(seen.x.shape, (std::vector<int64_t>{2, 3, 288, 288}));
  const auto resized = at_size("16", "data.test_shorter = 16")->samples("test", {1, "test"}, 2);
  EXPECT_EQ(at_size("16", "data.test_shorter = 9")->samples("test", {1, "test"}, 2).x.bytes,
            resized.x.bytes);
  EXPECT_NE(at_size("16", "data.test_shorter = 18")->samples("test", {1, "test"}, 2).x.bytes,
            resized.x.bytes);
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

}  // namespace
}  // namespace adassl::data
