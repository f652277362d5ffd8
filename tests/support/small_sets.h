#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "adassl/core/random.h"
#include "adassl/storage/npy.h"
#include "adassl/storage/png.h"
#include "support/temporary_directory.h"

/// Small drawn data sets with the layouts of published ones.
namespace adassl::testing {

/// Paints a disc.
inline void disc(storage::Image& image, double x, double y, double radius,
                 std::array<double, 3> colour) {
  for (int64_t row = 0; row < image.height; ++row) {
    for (int64_t column = 0; column < image.width; ++column) {
      const double dx = static_cast<double>(column) - x, dy = static_cast<double>(row) - y;
      if (dx * dx + dy * dy > radius * radius) continue;
      for (size_t c = 0; c < 3; ++c) {
        image.pixels[static_cast<size_t>(3 * (row * image.width + column)) + c] =
            static_cast<uint8_t>(255 * std::clamp(colour[c], 0.0, 1.0));
      }
    }
  }
}

inline storage::Image canvas(int64_t width, int64_t height, std::array<double, 3> colour) {
  storage::Image out = storage::make_image(width, height, 3);
  disc(out, 0, 0, static_cast<double>(2 * (width + height)), colour);
  return out;
}

/// A colour on the circle of hues.
inline std::array<double, 3> hue(double turn, double light = 1) {
  const auto channel = [&](double centre) {
    return light * (0.5 + 0.5 * std::cos(6.2831853 * (turn - centre)));
  };
  return {channel(0), channel(1.0 / 3), channel(2.0 / 3)};
}

/// Coloured discs over a coloured ground, ten factors each, in the layout of 3DIdent.
inline void put_shapes(const std::filesystem::path& root, int train, int test, int64_t side = 20) {
  for (const std::string part : {"train", "test"}) {
    const int count = part == "train" ? train : test;
    const std::filesystem::path folder = root / part / "images";
    std::filesystem::create_directories(folder);
    const auto digits = std::to_string(count - 1).size();
    std::vector<float> raw;
    for (int i = 0; i < count; ++i) {
      random::Sequence draws = random::Stream(1, part).at(static_cast<uint32_t>(i));
      std::array<double, 10> z{};
      for (double& value : z) raw.push_back(static_cast<float>(value = 2 * draws.uniform() - 1));
      const auto at = [&](double value) { return (0.5 + 0.3 * value) * static_cast<double>(side); };
      storage::Image image = canvas(side, side, hue(0.4 * z[9], 0.6 + 0.2 * z[5]));
      const double radius = (0.2 + 0.08 * z[2]) * static_cast<double>(side);
      disc(image, at(z[0]), at(z[1]), radius, hue(0.4 * z[7], 0.8 + 0.2 * z[6]));
      disc(image, at(z[0]) + radius * z[3], at(z[1]) + radius * z[4], radius / 3, hue(0.4 * z[8]));
      storage::write_png(folder / fmt::format("{:0{}}.png", i, digits), image);
    }
    storage::write_npy(root / part / "raw_latents.npy", storage::Dtype::kF32, {count, 10},
                       std::as_bytes(std::span(raw)));
  }
}

/// A drawn face, with what is to be seen of it.
struct DrawnFace {
  int person = 0;
  std::array<bool, 5> attributes{};  // kFaceAttributes
};
inline const std::vector<std::string> kFaceAttributes = {"Eyeglasses", "Smiling", "Wearing_Hat",
                                                         "Blond_Hair", "Blurry_Ground"};

/// Photograph i of `people` persons: hair belongs to the person, all else to the photograph.
inline DrawnFace drawn_face(int i, int people) {
  random::Sequence draws = random::Stream(1, "face").at(static_cast<uint32_t>(i));
  DrawnFace out{.person = i % people};
  for (bool& attribute : out.attributes) attribute = draws.bernoulli(0.4);
  out.attributes[3] = out.person % 3 == 0;
  return out;
}

inline storage::Image draw_face(const DrawnFace& face) {
  const auto& [glasses, smiling, hat, blond, dark_ground] = face.attributes;
  storage::Image out = canvas(20, 24, dark_ground ? hue(0.6, 0.3) : hue(0.6, 0.9));
  disc(out, 10, 11, 9, blond ? std::array{0.9, 0.8, 0.3} : std::array{0.2, 0.1, 0.1});
  disc(out, 10, 13, 7, hue(0.05, 0.7 + 0.02 * (face.person % 10)));
  if (hat) disc(out, 10, 3, 5, hue(0.33));
  for (const double x : {7.0, 13.0}) disc(out, x, 11, glasses ? 2.2 : 1, {0, 0, 0});
  disc(out, 10, 17, smiling ? 2.5 : 1, {0.8, 0.1, 0.1});
  return out;
}

inline std::string face_file(int i) { return fmt::format("{:06}.png", i + 1); }

/// Drawn faces in the layout of CelebA as it is published.
inline void put_faces(const std::filesystem::path& root, int people, int each) {
  std::filesystem::create_directories(root / "img_align_celeba");
  const int count = people * each;
  std::string attributes = fmt::format("{}\n{} \n", count, fmt::join(kFaceAttributes, " "));
  std::string identities;
  for (int i = 0; i < count; ++i) {
    const DrawnFace face = drawn_face(i, people);
    storage::write_png(root / "img_align_celeba" / face_file(i), draw_face(face));
    attributes += face_file(i);
    for (const bool value : face.attributes) attributes += value ? "  1" : " -1";
    attributes += "\n";
    identities += fmt::format("{} {}\n", face_file(i), 100 + face.person);
  }
  put(root / "list_attr_celeba.txt", attributes);
  put(root / "identity_CelebA.txt", identities);
}

/// The same faces in the layout of prepared tables: the first persons are for training, photographs
/// of the others alternate between validation and test.
inline void put_prepared_faces(const std::filesystem::path& root, int people, int each) {
  put_faces(root, people, each);
  std::array<std::string, 3> tables;
  for (std::string& table : tables) {
    table = fmt::format("{} filename identity\n", fmt::join(kFaceAttributes, " "));
  }
  std::vector<int> person_of;  // of each training row
  for (int i = 0; i < people * each; ++i) {
    const DrawnFace face = drawn_face(i, people);
    const size_t part =
        face.person < people * 3 / 4 ? 0U : 1U + static_cast<size_t>(i / people % 2);
    if (part == 0) person_of.push_back(face.person);
    for (const bool value : face.attributes) tables[part] += value ? "1 " : "0 ";
    tables[part] += fmt::format("{} {}\n", face_file(i), 100 + face.person);
  }
  put(root / "attributes_train.txt", tables[0]);
  put(root / "attributes_val.txt", tables[1]);
  put(root / "attributes_test.txt", tables[2]);
  std::vector<int64_t> pairs;
  for (size_t a = 0; a < person_of.size(); ++a) {
    for (size_t b = a + 1; b < person_of.size(); ++b) {
      if (person_of[a] != person_of[b]) continue;
      pairs.push_back(static_cast<int64_t>(a));
      pairs.push_back(static_cast<int64_t>(b));
    }
  }
  storage::write_npy(root / "pairs_train.npy", storage::Dtype::kI64,
                     {static_cast<int64_t>(pairs.size() / 2), 2}, std::as_bytes(std::span(pairs)));
}

/// Stripes for species, in the layout of iNat-1M: a class has a width and a direction of its
/// stripes, a superclass a hue.
inline void put_species(const std::filesystem::path& root, int classes, int train, int held_out) {
  const int superclasses = 3;
  std::array<std::string, 3> lists;
  const std::array<const char*, 3> files = {"train.txt", "val.txt", "test.txt"};
  for (size_t part = 0; part < 3; ++part) {
    for (int label = 0; label < classes; ++label) {
      const int above = label % superclasses;
      const std::string folder = fmt::format("{:05}_Kingdom_{}", label, above);
      std::filesystem::create_directories(root / "images" / folder);
      for (int i = 0; i < (part == 0 ? train : held_out); ++i) {
        random::Sequence draws =
            random::Stream(1, "species", part).at(static_cast<uint32_t>(label * 1000 + i));
        const double shift = 6 * draws.uniform(), light = 0.5 + 0.5 * draws.uniform();
        storage::Image image = canvas(24, 18, hue(0.33 * above, light));
        for (int64_t k = 0; k < 24 * 18; ++k) {
          const auto along = static_cast<double>(label % 2 == 0 ? k % 24 : k / 24);
          if (std::sin((along + shift) * 6.28 / (3 + label / 2)) < 0) {
            image.pixels[static_cast<size_t>(3 * k + label % 3)] /= 4;
          }
        }
        const std::string name = fmt::format("{}/{}-{}.png", folder, part, i);
        storage::write_png(root / "images" / name, image);
        lists[part] += fmt::format("images/{} {} {}\n", name, label, above);
      }
    }
    put(root / files[part], lists[part]);
  }
}

/// The same pictures as a CSV file with the columns of CIFAR-10's, `list.csv`.
inline void put_list(const std::filesystem::path& root) {
  std::string csv = "path,class,superclass,split\n";
  for (const char* part : {"train", "val", "test"}) {
    std::istringstream lines(contents(root / (std::string(part) + ".txt")));
    std::string path, label, above;
    while (lines >> path >> label >> above) {
      csv += fmt::format("{},class {},superclass {},{}\n", path, label, above, part);
    }
  }
  put(root / "list.csv", csv);
}

/// Two channels of a signal, with two factors and a regime, as a table.
inline void put_series(const std::filesystem::path& file) {
  std::string csv = "channel1,channel2,factor1,factor2,regime\n";
  for (int row = 0; row < 900; ++row) {
    csv +=
        fmt::format("{:.4f},{:.4f},{:.4f},{:.4f},{}\n", std::sin(0.1 * row), std::cos(0.17 * row),
                    std::sin(0.01 * row), std::cos(0.02 * row), row % 50 < 25 ? "calm" : "tense");
  }
  put(file, csv);
}

/// One set of each kind, there until the program ends, and the overrides that make a configuration
/// for the published set use it.
inline std::vector<std::string> small_set_for(const std::string& config) {
  static const TemporaryDirectory root;
  static const bool written = [] {
    put_shapes(root / "shapes", 80, 30);
    put_faces(root / "faces", 24, 6);
    put_species(root / "species", 6, 8, 4);
    put_list(root / "species");
    put_series(root / "series.csv");
    return true;
  }();
  const auto at = [&](const char* name) { return written ? (root / name).string() : ""; };
  const std::string common = "samples.index=none";
  if (config.starts_with("three-d-ident")) return {"data.folder=" + at("shapes"), common};
  if (config.starts_with("teapots")) return {"samples.folder=" + at("shapes"), common};
  if (config.starts_with("celeba")) return {"data.folder=" + at("faces"), common};
  if (config.starts_with("inat")) return {"data.folder=" + at("species"), common};
  if (config.starts_with("cifar-corruption")) {
    return {"samples.path=" + at("species/list.csv"), "samples.root=" + at("species"), common};
  }
  if (config.starts_with("cifar") || config.starts_with("emoji")) {
    const std::string table = "samples.table=" + at("species/list.csv");
    const bool emoji = config.starts_with("emoji");
    return {"samples.path=" + at("species"), table, common,
            emoji ? "data.split_by=sample" : "data.split_column=split"};
  }
  if (config.starts_with("series")) return {"samples.path=" + at("series.csv")};
  return {};
}

}  // namespace adassl::testing
