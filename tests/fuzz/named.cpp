#include "adassl/data/named/celeba_tables.h"
#include "adassl/data/named/inat.h"
#include "fuzz/harness.h"

/// The tables of the published data sets. A line "---" divides the input into two files.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adassl;
  const std::string text(fuzz::text_of(data, size));
  const size_t divider = text.find("---\n");
  const std::string first = text.substr(0, divider);
  const std::string second = divider == std::string::npos ? text : text.substr(divider + 4);
  const auto path = fuzz::file_with(first);
  const auto other = path.parent_path() / "other";
  testing::put(other, second);
  const auto complete = [](const data::FaceTable& faces) {
    for (const auto& column : faces.values) {
      fuzz::require(static_cast<int64_t>(column.size()) == faces.count(),
                    "every face has every attribute");
    }
    if (faces.people.empty()) return;
    fuzz::require(static_cast<int64_t>(faces.people.size()) == faces.count(),
                  "every face has a person");
    const auto parts = data::split_faces(faces, 0.2, 1);
    fuzz::require(parts.size() == faces.files.size(), "every face is in one part of the split");
  };
  fuzz::accepted([&] { complete(data::read_raw_faces(path, other)); });
  fuzz::accepted([&] { complete(data::read_prepared_faces(path)); });
  for (const char* list : {"train.txt", "val.txt", "test.txt"}) {
    testing::put(path.parent_path() / list, first);
  }
  fuzz::accepted([&] {
    data::INatSamples species;
    species.folder = path.parent_path().string();
    species.label_types = "other";
    const data::ListedImages images = species.list();
    for (const data::DataColumn& column : images.columns) {
      fuzz::require(column.count() == images.names.count(), "every image has every label");
    }
  });
  return 0;
}
