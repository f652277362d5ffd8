#include "adassl/data/fetched.h"

#include <algorithm>

#include "adassl/core/error.h"
#include "adassl/data/source.h"
#include "adassl/kernels/threads.h"

namespace adassl::data {

Fetched::Fetched(const SampleSet& set, int64_t sample) try {
  if (set.pictures() == 0) {
    size_t size = 1;
    for (const int64_t extent : set.shape()) size *= static_cast<size_t>(extent);
    row_.resize(size);
    set.fetch_row(sample, row_);
  }
  for (int64_t frame = 0; frame < set.pictures(); ++frame) {
    pictures_.push_back(set.fetch_picture(sample, frame));
  }
} catch (const ReadError& error) {
  if (!error.path_is_wrong()) throw;  // the disk fails: the sample may be as good as before
  throw LostSample(error.what());
} catch (const Error& error) {
  throw LostSample(error.what());
}

void Fetched::see(const View& view, random::Sequence& draws, std::span<float> numbers,
                  std::span<uint8_t> bytes) const {
  if (pictures_.empty()) {
    view.see(row_, draws, numbers);
    return;
  }
  const size_t frames = pictures_.size();
  if (frames == 1) {
    view.see(pictures_.front(), draws, bytes);
    return;
  }
  const size_t plane = bytes.size() / (3 * frames);
  std::vector<uint8_t> seen(3 * plane);
  random::Sequence after = draws;
  for (size_t t = 0; t < frames; ++t) {
    after = draws;
    view.see(pictures_[t], after, seen);
    for (size_t c = 0; c < 3; ++c) {
      std::copy_n(seen.begin() + static_cast<int64_t>(c * plane), plane,
                  bytes.begin() + static_cast<int64_t>((c * frames + t) * plane));
    }
  }
  draws = after;
}

std::vector<int64_t> observation_of(const SampleSet& set, const View& view) {
  if (set.pictures() == 0) return set.shape();
  const int64_t side = view.size();
  if (set.pictures() == 1) return {3, side, side};
  return {3, set.pictures(), side, side};
}

Element element_of(const SampleSet& set) {
  return set.pictures() > 0 ? Element::kUint8 : Element::kFloat32;
}

void SeenOptions::visit(Fields& field) {
  field("test_crop", test_crop,
        "evaluations: side of the square that is cut out of an image's centre before it is "
        "resized; 0: the whole image",
        {0, 8192});
  field("test_shorter", test_shorter,
        "evaluations: length to which an image's shorter side is resized before its centre is "
        "cut; the size of a view if that is larger",
        {0, 8192});
}

std::shared_ptr<View> plain_view_like(const SampleSet& set, const View& view,
                                      const SeenOptions& seen) {
  const std::string text = set.pictures() == 0
                               ? ""
                               : join("[views]\nsize = ", view.size(), "\ncrop = ", seen.test_crop,
                                      "\nshorter = ", std::max(seen.test_shorter, view.size()));
  Config config = Config::from_text(text, "evaluation");
  return find(views(), "views", "plain").make(config, "views");
}

namespace {

Array room_for(const SampleSet& set, const View& plain, int64_t count) {
  Source::Shape shape;
  shape.observation = observation_of(set, plain);
  shape.element = element_of(set);
  return make_observations(shape, count);
}

/// Sees the samples first ... first + rows - 1 of a list, into these rows of `out`.
void see_rows(const SampleSet& set, const View& plain, std::span<const int64_t> samples,
              int64_t first, int64_t rows, Array& out) {
  const kernels::FlushDenormals flush;
  for (int64_t row = first; row < first + rows; ++row) {
    random::Sequence draws = random::Stream(1, "plain").at(0);  // a plain view does not draw
    Fetched(set, samples[static_cast<size_t>(row)])
        .see(plain, draws, row_of(out, row), bytes_of(out, row));
  }
}

}  // namespace

Array see_plainly(const SampleSet& set, const View& plain, std::span<const int64_t> samples) {
  const auto count = static_cast<int64_t>(samples.size());
  Array out = room_for(set, plain, count);
  in_chunks(count,
            [&](int64_t first, int64_t rows) { see_rows(set, plain, samples, first, rows, out); });
  return out;
}

Job<Array> job_of_seeing(const SampleSet& set, const View& plain, std::vector<int64_t> samples) {
  const auto count = static_cast<int64_t>(samples.size());
  const auto made = std::make_shared<Array>(room_for(set, plain, count));
  return {made,
          {count, kRowsAtOnce,
           [=, &set, &plain, samples = std::move(samples)](int64_t first, int64_t rows) {
             see_rows(set, plain, samples, first, rows, *made);
           }}};
}

}  // namespace adassl::data
