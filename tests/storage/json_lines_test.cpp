#include "adassl/storage/json_lines.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/child_process.h"
#include "support/error_message.h"
#include "support/mutation.h"
#include "support/temporary_directory.h"

namespace adassl::storage {
namespace {

using testing::contents;
using testing::damaged;
using testing::error_of;
using ::testing::HasSubstr;
using testing::in_child;
using testing::limit_file_size;
using testing::put;
using ::testing::SizeIs;
using testing::TemporaryDirectory;

TEST(JsonLines, ReadsOneRecordALine) {
  const TemporaryDirectory folder;
  put(folder / "a", "{\"step\":1}\n[2]\n3\n");
  const auto records = read_json_lines(folder / "a");
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[0].at("step"), 1);
  EXPECT_EQ(records[2], 3);
  put(folder / "empty", "");
  EXPECT_THAT(read_json_lines(folder / "empty"), SizeIs(0));
}

TEST(JsonText, ReplacesWhatJsonCannotHold) {
  const nlohmann::ordered_json value = {{"path", "caf\xe9.png"}, {"r", std::nan("")}};
  EXPECT_EQ(json_text(value), "{\"path\":\"caf\ufffd.png\",\"r\":null}");
  EXPECT_EQ(json_text(nlohmann::json{{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

TEST(JsonLines, DropsATornLastLineEvenWhenItLooksWhole) {
  const TemporaryDirectory folder;
  put(folder / "a", "{\"step\":1}\n{\"ste");
  EXPECT_THAT(read_json_lines(folder / "a"), SizeIs(1));
  put(folder / "a", "{\"step\":1}\n12");  // possibly the beginning of 123
  EXPECT_THAT(read_json_lines(folder / "a"), SizeIs(1));
}

TEST(JsonLines, NamesTheLineThatIsBad) {
  const TemporaryDirectory folder;
  const auto error = [&](const std::string& text) {
    put(folder / "a", text);
    return error_of([&] { read_json_lines(folder / "a"); });
  };
  const std::string name = (folder / "a").string();
  EXPECT_EQ(error("1\n{\"a\":}\n2\n"), "[" + name + ":2] not valid JSON, at byte 6 of the line");
  EXPECT_THAT(error("1\n\n2\n"), HasSubstr(":2] not valid JSON"));
  EXPECT_THAT(error("\"\xff\"\n"), HasSubstr(":1] not valid JSON"));
  EXPECT_THAT(error(std::string("1\0 2\n", 5)), HasSubstr(":1] not valid JSON"));
  EXPECT_THAT(error("1e999\n"), HasSubstr(":1] not valid JSON"));
  EXPECT_THAT(error(std::string(100'000, '[') + "\n"), HasSubstr(":1] expected JSON of at most"));
  EXPECT_THAT(error_of([&] { read_json_lines(folder / "none"); }), HasSubstr("no such file"));
}

TEST(JsonLines, EitherReadOrAreAnErrorWhateverTheDamage) {
  const TemporaryDirectory folder;
  const std::string good =
      "{\"step\":1,\"loss\":0.25,\"list\":[1,2]}\n{\"step\":2,\"name\":\"ü\"}\n";
  const random::Stream stream(22, "damage");
  int refused = 0;
  for (uint32_t i = 0; i < 3000; ++i) {
    put(folder / "a", damaged(good, stream.at(i)));
    try {
      read_json_lines(folder / "a");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 3000);
}

TEST(KeepLines, CutsAndKeepsTheOthersByteForByte) {
  const TemporaryDirectory folder;
  put(folder / "a", "{ \"step\": 1,  \"x\": 1.50}\n{\"step\":7}\n{\"step\" :2}\r\n{\"step\":3");
  keep_lines(folder / "a", [](const nlohmann::json& record) { return record.at("step") <= 2; });
  EXPECT_EQ(contents(folder / "a"), "{ \"step\": 1,  \"x\": 1.50}\n{\"step\" :2}\r\n");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(KeepLines, CutsNothingOfAMissingFileAndWhatIsDamaged) {
  const TemporaryDirectory folder;
  const auto all = [](const nlohmann::json&) { return true; };
  EXPECT_NO_THROW(keep_lines(folder / "none", all));
  EXPECT_EQ(folder.entries(), 0U);
  put(folder / "a", std::string("1\nx\n\0\0\n2\n", 9));
  EXPECT_EQ(keep_lines(folder / "a", all), 2U);
  EXPECT_EQ(contents(folder / "a"), "1\n2\n");
}

TEST(JsonLinesWriter, AppendsToWhatIsThere) {
  const TemporaryDirectory folder;
  {
    JsonLinesWriter writer(folder / "a");
    writer.append({{"step", 1}});
    EXPECT_TRUE(writer.flush());
    EXPECT_EQ(contents(folder / "a"), "{\"step\":1}\n");
  }
  JsonLinesWriter writer(folder / "a");
  writer.append_line("[2]");
  EXPECT_EQ(contents(folder / "a"), "{\"step\":1}\n");
  EXPECT_TRUE(writer.sync());
  EXPECT_EQ(contents(folder / "a"), "{\"step\":1}\n[2]\n");
  EXPECT_EQ(writer.pending_bytes(), 0U);
}

TEST(JsonLinesWriter, FlushesWhenItEnds) {
  const TemporaryDirectory folder;
  {
    JsonLinesWriter first(folder / "a");
    first.append(1);
    JsonLinesWriter moved = std::move(first);
    moved.append(2);
  }
  EXPECT_EQ(contents(folder / "a"), "1\n2\n");
}

TEST(JsonLinesWriter, KeepsTheOrderOfOrderedJson) {
  const TemporaryDirectory folder;
  JsonLinesWriter writer(folder / "a");
  nlohmann::ordered_json record;
  record["z"] = 1;
  record["a"] = 2;
  writer.append(record);
  writer.flush();
  EXPECT_EQ(contents(folder / "a"), "{\"z\":1,\"a\":2}\n");
}

TEST(JsonLinesWriter, ReplacesWhatJsonCannotHold) {
  const TemporaryDirectory folder;
  JsonLinesWriter writer(folder / "a");
  writer.append({{"loss", std::nan("")}, {"name", "a\xff\nb"}});
  writer.flush();
  EXPECT_EQ(contents(folder / "a"), "{\"loss\":null,\"name\":\"a\uFFFD\\nb\"}\n");
}

TEST(JsonLinesWriter, RefusesTwoLinesForOne) {
  const TemporaryDirectory folder;
  JsonLinesWriter writer(folder / "a");
  EXPECT_THAT(error_of([&] { writer.append_line("1\n2"); }), HasSubstr("expected one line"));
}

TEST(JsonLinesWriter, CutsATornLastLineWhereverItStarts) {
  const TemporaryDirectory folder;
  for (const size_t torn : {1, 4095, 4096, 4097, 20'000}) {
    for (const std::string whole : {"", "1\n", "1\n2\n"}) {
      put(folder / "a", whole + std::string(torn, 'x'));
      JsonLinesWriter writer(folder / "a");
      EXPECT_EQ(contents(folder / "a"), whole) << torn;
      writer.append(3);
      writer.flush();
      EXPECT_EQ(contents(folder / "a"), whole + "3\n") << torn;
    }
  }
}

TEST(JsonLinesWriter, ThatCannotOpenItsFileIsAnError) {
  const TemporaryDirectory folder;
  EXPECT_EQ(error_of([&] { JsonLinesWriter writer(folder / "none/a"); }),
            "[" + (folder / "none/a").string() + "] cannot be written: No such file or directory");
  EXPECT_THAT(error_of([&] { JsonLinesWriter writer(folder.path()); }),
              HasSubstr("Is a directory"));
}

TEST(JsonLinesWriter, LosesNothingWhenTheDiskIsFullForAWhile) {
  const TemporaryDirectory folder;
  const std::string complaint = in_child([&]() -> std::string {
    JsonLinesWriter writer(folder / "a");
    writer.append(std::string(500, 'a'));
    if (!writer.flush()) return "first flush failed";
    const std::string before = contents(folder / "a");
    limit_file_size(1000);
    writer.append(std::string(400, 'b'));  // fits; the next one only half
    writer.append(std::string(400, 'c'));
    if (writer.flush() || writer.sync()) return "wrote beyond the limit";
    if (contents(folder / "a") != before) return "left half a line";
    if (writer.last_error().find("a] cannot be written: File too large") == std::string::npos) {
      return "said: " + writer.last_error();
    }
    writer.append(std::string(10, 'd'));
    if (writer.flush()) return "wrote beyond the limit";
    limit_file_size(RLIM_INFINITY);
    if (!writer.sync()) return "did not recover: " + writer.last_error();
    return writer.last_error();
  });
  EXPECT_EQ(complaint, "");
  const auto records = read_json_lines(folder / "a");
  ASSERT_THAT(records, SizeIs(4));
  EXPECT_EQ(records[1], std::string(400, 'b'));
  EXPECT_EQ(records[3], std::string(10, 'd'));
}

TEST(Extent, CutsAFileToWhatItWas) {
  const TemporaryDirectory folder;
  JsonLinesWriter writer(folder / "a");
  writer.append(1);
  writer.append(2);
  ASSERT_TRUE(writer.sync());
  const Extent then = writer.extent();
  EXPECT_EQ(then.bytes, 4U);
  writer.append(3);
  ASSERT_TRUE(writer.sync());
  EXPECT_NE(writer.extent(), then);
  EXPECT_TRUE(cut_to(folder / "a", then));
  EXPECT_EQ(contents(folder / "a"), "1\n2\n");
  EXPECT_EQ(JsonLinesWriter(folder / "a").extent(), then) << "whoever goes on knows it too";
}

TEST(Extent, ThatAFileNoLongerHasChangesNothing) {
  const TemporaryDirectory folder;
  put(folder / "a", "1\n2\n");
  const Extent then = JsonLinesWriter(folder / "a").extent();
  for (const std::string other : {"", "1\n", "1\n3\n4\n", "2\n1\n"}) {
    put(folder / "a", other);
    EXPECT_FALSE(cut_to(folder / "a", then)) << other;
    EXPECT_EQ(contents(folder / "a"), other);
  }
  std::filesystem::remove(folder / "a");
  EXPECT_FALSE(cut_to(folder / "a", then));
}

TEST(Extent, OfNothingFitsEveryFile) {
  const TemporaryDirectory folder;
  for (const Extent& nothing : {Extent{}, JsonLinesWriter(folder / "a").extent()}) {
    EXPECT_EQ(nothing.bytes, 0U);
    put(folder / "a", "1\n");
    EXPECT_TRUE(cut_to(folder / "a", nothing));
    EXPECT_EQ(contents(folder / "a"), "");
    std::filesystem::remove(folder / "a");
    EXPECT_TRUE(cut_to(folder / "a", nothing));
  }
}

}  // namespace
}  // namespace adassl::storage
