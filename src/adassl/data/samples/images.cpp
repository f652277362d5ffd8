#include "adassl/data/samples/images.h"

#include "adassl/data/samples/table.h"

namespace adassl::data {

DataColumn folder_column(const Names& names) {
  ColumnBuilder builder("folder", /*text=*/true);
  for (int64_t i = 0; i < names.count(); ++i) builder.add(std::string(folder_of(names[i])));
  return builder.finish();
}

Images::Images(const Options& options, const Progress& progress)
    : files_(options.path, options.files, progress) {
  declared_ = options.columns;
  if (!files_.remark().empty()) remarks_.push_back(files_.remark());
  columns_.push_back(folder_column(files_.names()));
  add_columns(columns_, files_.columns(), options.path);
  if (!options.table.empty()) {
    add_columns(columns_, read_table_by_name(options.table, options.key, files_.names()),
                options.table);
  }
  if (!options.sequence.empty() || !options.time.empty() || options.rate > 0) {
    Timeline line = timeline(*this, options);
    sequences_ = std::move(line.sequences);
    times_ = std::move(line.times);
  }
  reject_faulty(options.tolerate, options.path);
}

Images::Images(ListedImages list, const FileOptions& options, double tolerate,
               const Progress& progress)
    : files_(list.folder, std::move(list.names), list.described_by, options, progress) {
  add_columns(columns_, std::move(list.columns), list.described_by.string());
  declared_ = std::move(list.declared);
  declared_.push_back(std::string(kSplitColumn) + ":none");
  remarks_ = std::move(list.remarks);
  reject_faulty(tolerate, list.described_by.string());
}

void Images::reject_faulty(double tolerate, const std::string& where) {
  for (int64_t i = 0; i < count(); ++i) {
    if (std::string fault = files_.fault(i); !fault.empty()) {
      rejected_.push_back({i, name(i), std::move(fault)});
    }
  }
  require_tolerable(rejected_, count(), tolerate, where, files_.disk_failed());
}

}  // namespace adassl::data
