#include "adassl/cli/imagine_gallery.h"

#include <fmt/format.h>

#include "adassl/cli/sample_pages.h"
#include "adassl/storage/run_directory.h"
#include "adassl/study/imagined_samples.h"

namespace adassl::cli {
namespace {

FoundRow row_of(study::Imagined one, const study::SeenSamples& gallery) {
  FoundRow out;
  out.title = fmt::format("{}: {} different of {}", gallery.name(one.sample), one.distinct,
                          one.draws.size());
  out.facts = {{"distinct", one.distinct}};
  out.sample = one.sample;
  out.others = std::move(one.draws);
  return out;
}

}  // namespace

void imagine_from_gallery(const GalleryArguments& arguments, const study::Tables& tables) {
  const auto run = storage::RunDirectory::open(arguments.run, storage::RunDirectory::Lock::kNo);
  const study::Restored model = study::restore_model(run, tables);
  const study::SeenSamples gallery =
      study::open_samples(run, arguments.gallery, arguments.overrides);
  FoundPage page{"imagine", "draws", "What may belong together with it?", "", {}};
  page.about = fmt::format(
      "Each row begins with one sample. From it alone the model drew r {} times and predicted the "
      "embedding of a partner. Behind it are those of {} samples that are nearest to the "
      "predictions, with the cosine similarity ({}, step {}).",
      arguments.draws, gallery.usable.size(), model.method_name, model.step);
  for (study::Imagined& one : study::imagined_samples(
           model, gallery, {arguments.queries, arguments.rows, arguments.draws, model.seed})) {
    page.rows.push_back(row_of(std::move(one), gallery));
  }
  show(page, gallery,
       {arguments.out.empty() ? run.path().string() : arguments.out, arguments.json});
}

}  // namespace adassl::cli
