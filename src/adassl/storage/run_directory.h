#pragma once

#include <filesystem>
#include <string>

#include "adassl/storage/file.h"

namespace adassl::storage {

/// The folder with all files of one run. The training process holds its lock, so that no two
/// processes write the same run. The kernel releases the lock when the process ends, however that
/// happens.
class RunDirectory {
 public:
  enum class Lock { kNo, kYes };

  /// Error when create() would refuse this path, as far as can be told before. Makes nothing.
  static void require_unused(const std::filesystem::path& path);
  /// Creates and locks the folder of a new run; Error when it already holds a run or other files.
  static RunDirectory create(const std::filesystem::path& path);
  /// Opens an existing run. Lock::kNo is for reading, even while another process trains. Lock::kYes
  /// is for writing: Error if another process holds the lock or if one of the run's files is a
  /// symbolic link.
  static RunDirectory open(const std::filesystem::path& path, Lock lock);
  /// The first of parent/stem, parent/stem-2, parent/stem-3, ... that does not exist.
  static std::filesystem::path fresh_name(const std::filesystem::path& parent,
                                          const std::string& stem);

  const std::filesystem::path& path() const { return path_; }
  /// The name of its folder, preceded by the parent folder's name if its own is only "seed-...".
  std::string name() const;
  std::filesystem::path config() const { return path_ / "config.toml"; }
  std::filesystem::path given() const { return path_ / "given.toml"; }
  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path descriptions() const { return path_ / "describe.json"; }
  std::filesystem::path records() const { return path_ / "records.jsonl"; }
  std::filesystem::path timing() const { return path_ / "timing.jsonl"; }
  std::filesystem::path status() const { return path_ / "status.json"; }
  std::filesystem::path log() const { return path_ / "log.txt"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path encoder() const { return path_ / "encoder.safetensors"; }
  std::filesystem::path quarantine() const { return path_ / "quarantine.jsonl"; }
  std::filesystem::path report() const { return path_ / "report.html"; }

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  void take_lock();
  void require_own_files() const;

  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace adassl::storage
