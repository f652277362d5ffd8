#include "adassl/data/samples/samples.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adassl/data/groups.h"
#include "adassl/data/samples/names.h"
#include "support/error_message.h"
#include "support/small_files.h"
#include "support/zip.h"

namespace adassl::data {
namespace {

using testing::contents;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::put;
using testing::put_rows;
using testing::samples_from;
using testing::TemporaryDirectory;

std::vector<float> row(const SampleSet& set, int64_t i) {
  int64_t size = 1;
  for (const int64_t extent : set.shape()) size *= extent;
  std::vector<float> out(static_cast<size_t>(size));
  set.fetch_row(i, out);
  return out;
}

class ArraySamples : public ::testing::Test {
 protected:
  std::shared_ptr<SampleSet> open(const std::string& name, const std::string& more = "") {
    return samples_from("[samples]\npath = '" + (folder_ / name).string() + "'\n" + more);
  }
  std::string mistake(const std::string& name, const std::string& more = "") {
    return error_of([&] { open(name, more); });
  }

  TemporaryDirectory folder_;
};

TEST_F(ArraySamples, AreTheRowsOfAnNpyFile) {
  put_rows(folder_ / "a.npy", 4, 2);
  const auto set = open("a.npy");
  EXPECT_EQ(set->count(), 4);
  EXPECT_EQ(set->shape(), std::vector<int64_t>{2});
  EXPECT_THAT(row(*set, 3), ElementsAre(3.0F, 3.01F));
  EXPECT_EQ(set->name(3), "row 3");
}

TEST_F(ArraySamples, TakeTheMatrixOfAnNpzAndTheOtherArraysAsColumns) {
  put_rows(folder_ / "x.npy", 3, 2);
  const std::vector<int64_t> labels = {5, 6, 5};
  storage::write_npy(folder_ / "y.npy", storage::Dtype::kI64, {3},
                     std::as_bytes(std::span(labels)));
  put(folder_ / "a.npz", testing::zip_of({{"x.npy", contents(folder_ / "x.npy")},
                                          {"label.npy", contents(folder_ / "y.npy")}},
                                         true));
  const auto set = open("a.npz");
  EXPECT_THAT(row(*set, 2), ElementsAre(2.0F, 2.01F));
  ASSERT_EQ(set->columns().size(), 1U);
  EXPECT_EQ(set->columns()[0].name, "label");
  EXPECT_THAT(set->columns()[0].numbers, ElementsAre(5, 6, 5));
  EXPECT_THAT(mistake("a.npz", "array = 'z'"), HasSubstr("expected an array 'z'"));
}

TEST_F(ArraySamples, TakeTheNumbersOfATableAndKeepItsWordsAsColumns) {
  put(folder_ / "a.csv", "id,who,u,v\n7,ann,1,2\n8,bob,3,4\n");
  const auto set = open("a.csv", "labels = ['id']");
  EXPECT_THAT(row(*set, 1), ElementsAre(3, 4));
  EXPECT_EQ(set->columns()[0].name, "id");
  EXPECT_EQ(set->columns()[1].text(1), "bob");
  EXPECT_THAT(mistake("a.csv", "labels = ['uid']"),
              HasSubstr("[samples.labels] expected a column of the data, one of id, who, u, v"));
}

TEST_F(ArraySamples, AreWindowsWithinASequence) {
  put_rows(folder_ / "a.npy", 9, 1);
  put(folder_ / "t.csv", "s,k\na,0\na,1\na,2\na,3\nb,4\nb,5\nb,6\nb,7\nb,8\n");
  const auto set = open("a.npy", "window = 3\nstride = 2\nsequence = 's'\ntable = '" +
                                     (folder_ / "t.csv").string() + "'");
  EXPECT_EQ(set->shape(), std::vector<int64_t>{3});
  ASSERT_EQ(set->count(), 3);  // rows 0-2, 4-6, 6-8
  EXPECT_THAT(row(*set, 1), ElementsAre(4, 5, 6));
  EXPECT_EQ(set->sequence(0), 0);
  EXPECT_EQ(set->sequence(2), 1);
  EXPECT_EQ(set->time(2), 6);
  EXPECT_EQ(set->duration(), 2);
  EXPECT_THAT(set->columns()[1].numbers, ElementsAre(2, 6, 8));  // of the last row
  EXPECT_THAT(mistake("a.npy", "window = 10"), HasSubstr("got 10 for 9 rows"));
}

TEST_F(ArraySamples, AreStandardisedWhereAsked) {
  put_rows(folder_ / "a.npy", 3, 2);
  const auto set = open("a.npy", "mean = [1, 0.01]\ndeviation = [2.0]");
  EXPECT_THAT(row(*set, 2), ElementsAre(0.5F, 1.0F));
  EXPECT_THAT(mistake("a.npy", "mean = [1, 2, 3]"),
              HasSubstr("one for each of 2 numbers of a row, got 3"));
}

TEST_F(ArraySamples, AreNumbersOfAnyType) {
  const auto rows = [&](storage::Dtype dtype, const auto& values) {
    storage::write_npy(folder_ / "a.npy", dtype, {static_cast<int64_t>(values.size())},
                       std::as_bytes(std::span(values)));
    const auto set = open("a.npy", "window = " + std::to_string(values.size()));
    return row(*set, 0);
  };
  using storage::Dtype;
  EXPECT_THAT(rows(Dtype::kI16, std::vector<int16_t>{-32768, 7}), ElementsAre(-32768, 7));
  EXPECT_THAT(rows(Dtype::kU16, std::vector<uint16_t>{65535, 7}), ElementsAre(65535, 7));
  EXPECT_THAT(rows(Dtype::kI8, std::vector<int8_t>{-128, 7}), ElementsAre(-128, 7));
  EXPECT_THAT(rows(Dtype::kU32, std::vector<uint32_t>{3'000'000'000, 7}), ElementsAre(3e9F, 7));
  EXPECT_THAT(rows(Dtype::kBool, std::vector<uint8_t>{0, 1, 2}), ElementsAre(0, 1, 1));
  EXPECT_THAT(
      rows(Dtype::kF16, std::vector<uint16_t>{0x3c00, 0xc100, 0x7bff, 0x0001, 0x8000, 0x3555}),
      ElementsAre(1, -2.5F, 65504, 0x1p-24F, 0, 0x1.554p-2F));
}

TEST_F(ArraySamples, HaveColumnsOfAnyTypeInAnNpz) {
  put_rows(folder_ / "x.npy", 2, 2);
  const std::vector<uint32_t> large = {4'000'000'001, 4'000'000'002};
  storage::write_npy(folder_ / "y.npy", storage::Dtype::kU32, {2}, std::as_bytes(std::span(large)));
  const std::vector<uint8_t> flags = {0, 1};
  storage::write_npy(folder_ / "z.npy", storage::Dtype::kBool, {2},
                     std::as_bytes(std::span(flags)));
  put(folder_ / "a.NPZ", testing::zip_of({{"x.npy", contents(folder_ / "x.npy")},
                                          {"y.npy", contents(folder_ / "y.npy")},
                                          {"z.npy", contents(folder_ / "z.npy")}},
                                         true));
  const auto set = open("a.NPZ");
  ASSERT_EQ(set->columns().size(), 2U);
  EXPECT_THAT(set->columns()[0].numbers, ElementsAre(4'000'000'001, 4'000'000'002));
  EXPECT_THAT(set->columns()[1].numbers, ElementsAre(0, 1));
}

TEST_F(ArraySamples, AreReadWhateverTheCaseOfTheSuffix) {
  put_rows(folder_ / "a.NPY", 4, 2);
  put(folder_ / "a.TSV", "u\tv\n1\t2\n");
  for (const char* name : {"a.NPY", "a.TSV"}) {
    EXPECT_EQ(kind_of_samples(folder_ / name), "arrays");
    EXPECT_EQ(open(name)->shape(), std::vector<int64_t>{2}) << name;
  }
}

TEST_F(ArraySamples, RejectRowsThatAreNotFinite) {
  std::vector<float> values(200, 1.0F);
  values[150] = std::numeric_limits<float>::quiet_NaN();
  storage::write_npy(folder_ / "a.npy", storage::Dtype::kF32, {200},
                     std::as_bytes(std::span(values)));
  const auto set = open("a.npy");
  ASSERT_EQ(set->rejected().size(), 1U);
  EXPECT_EQ(set->rejected()[0].sample, 150);
  EXPECT_EQ(set->rejected()[0].reason, "holds a NaN or an infinity in row 150");
  EXPECT_THAT(mistake("a.npy", "tolerate = 0.001"),
              HasSubstr("expected at most 0.001 of 200 samples to be unusable (samples.tolerate), "
                        "got 1: 'row 150' holds a NaN"));
}

TEST_F(ArraySamples, RejectTheRowsOfATableWithACellThatIsNoNumber) {
  put(folder_ / "a.csv",
      "note,u,v\n\"a\nb\",1,2\nc,nan,4\nd,5,\ne,7,8\nf,inf,n/a\ng,9,10\nh,11,12\n");
  const auto set = open("a.csv", "tolerate = 0.5");
  EXPECT_EQ(set->shape(), std::vector<int64_t>{2});
  EXPECT_THAT(row(*set, 3), ElementsAre(7, 8));
  ASSERT_EQ(set->rejected().size(), 3U);
  EXPECT_EQ(set->rejected()[0].sample, 1);
  EXPECT_EQ(set->rejected()[0].reason, "expected a number in line 4, column 'u', got 'nan'");
  EXPECT_EQ(set->rejected()[1].reason, "expected a number in line 5, column 'v', got ''");
  EXPECT_EQ(set->rejected()[2].reason, "expected a number in line 7, column 'u', got 'inf'");
  EXPECT_THAT(
      mistake("a.csv"),
      HasSubstr("got 3: 'row 1' expected a number in line 4, column 'u', got 'nan'; 'row 2'"));
  const auto windows = open("a.csv", "tolerate = 1.0\nwindow = 2");
  ASSERT_EQ(windows->rejected().size(), 5U);
  EXPECT_EQ(windows->rejected()[2].reason, "expected a number in line 5, column 'v', got ''");
}

TEST_F(ArraySamples, TakeAColumnForWordsWhereAtMostHalfOfItIsNumbers) {
  put(folder_ / "a.csv", "u,size\n1,4\n2,5\n3,tall\n4,wide\n");
  const auto set = open("a.csv");
  EXPECT_EQ(set->shape(), std::vector<int64_t>{1});
  EXPECT_EQ(set->columns()[0].text(2), "tall");
  EXPECT_TRUE(set->rejected().empty());
  put(folder_ / "b.csv", "u,size\n1,4\n2,5\n3,6\n4,wide\n");
  EXPECT_EQ(open("b.csv", "labels = ['size']")->columns()[0].text(3), "wide");
  EXPECT_THAT(mistake("b.csv"),
              HasSubstr("expected a number in line 5, column 'size', got 'wide'"));
}

TEST_F(ArraySamples, NeedFiniteTimes) {
  put_rows(folder_ / "x.npy", 4, 2);
  const std::vector<double> times = {0, 1, std::numeric_limits<double>::quiet_NaN(), 3};
  storage::write_npy(folder_ / "t.npy", storage::Dtype::kF64, {4}, std::as_bytes(std::span(times)));
  put(folder_ / "a.npz",
      testing::zip_of(
          {{"x.npy", contents(folder_ / "x.npy")}, {"t.npy", contents(folder_ / "t.npy")}}, true));
  EXPECT_THAT(mistake("a.npz", "time = 't'"),
              HasSubstr("[samples.time] expected finite numbers, got nan in column 't' of 'row "
                        "2'"));
}

TEST_F(ArraySamples, AnswerWrongFilesWithOneLine) {
  put(folder_ / "a.npy", "no");
  put(folder_ / "a.bin", "no");
  put_rows(folder_ / "none.npy", 0, 3);
  put_rows(folder_ / "b.npy", 3, 3);
  put(folder_ / "short.csv", "a\n1\n2\n");
  EXPECT_THAT(mistake("a.npy"), HasSubstr("expected a .npy file, got only 2 bytes"));
  EXPECT_THAT(mistake("a.bin"), HasSubstr("expected a file .npy, .npz, .safetensors, .csv or"));
  EXPECT_THAT(mistake("none.npy"), HasSubstr("expected rows of numbers, got an empty array"));
  EXPECT_THAT(mistake("missing.npy"), HasSubstr("no such file"));
  EXPECT_THAT(mistake("b.npy", "table = '" + (folder_ / "short.csv").string() + "'"),
              HasSubstr("expected 3 rows, one for each row of the data, got 2"));
}

TEST(GroundTruth, FollowsFromTheValues) {
  const DataColumns columns = {{"real", {0.5, 1, 2, 3, 4, 5}},
                               {"label", {0, 1, 2, 0, 1, 2}},
                               {"flag", {0, 1, 1, 0, 0, 1}},
                               {"same", {3, 3, 3, 3, 3, 3}},
                               {"word", {}, {0, 1, 2, 0, 1, 2}, {"a", "b", "c"}},
                               {"name", {}, {0, 1, 2, 3, 4, 5}, {"a", "b", "c", "d", "e", "f"}}};
  const GroundTruth truth = ground_truth(columns, {});
  std::vector<std::string> found;
  for (const Column& column : truth.columns) {
    found.push_back(column.name + ":" + std::to_string(static_cast<int>(column.kind)) + ":" +
                    std::to_string(column.classes));
  }
  EXPECT_THAT(found, ElementsAre("real:0:0", "label:2:3", "flag:3:2", "word:2:3"));
  EXPECT_EQ(truth.value(3, 2), 2);
  const GroundTruth declared = ground_truth(columns, {"label:real", "real:angle", "flag:none"});
  EXPECT_EQ(declared.columns[0].kind, Column::Kind::kAngle);
  EXPECT_EQ(declared.columns[1].kind, Column::Kind::kReal);
  EXPECT_EQ(declared.columns[2].name, "word");
  EXPECT_THAT(error_of([&] { ground_truth(columns, {"word:real"}); }),
              HasSubstr("expected numbers for the kind real, got words such as 'a'"));
  EXPECT_THAT(error_of([&] { ground_truth(columns, {"real"}); }), HasSubstr("NAME:KIND"));
  EXPECT_THAT(error_of([&] { ground_truth(columns, {"rael:real"}); }),
              HasSubstr("did you mean 'real'?"));
}

TEST(Names, AreOrderedAsPeopleDo) {
  EXPECT_TRUE(natural_less("f9.png", "f10.png"));
  EXPECT_FALSE(natural_less("f10.png", "f9.png"));
  EXPECT_TRUE(natural_less("a", "ab"));
  EXPECT_FALSE(natural_less("f1", "f1"));
  EXPECT_TRUE(natural_less("f01", "f1") != natural_less("f1", "f01"));
  EXPECT_EQ(folder_of("a/b/c.png"), "a/b");
  EXPECT_EQ(folder_of("c.png"), ".");
  EXPECT_EQ(without_extension("a.b/c"), "a.b/c");
  EXPECT_EQ(without_extension("a/.png"), "a/.png");
}

}  // namespace
}  // namespace adassl::data
