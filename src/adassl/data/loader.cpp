#include "adassl/data/loader.h"

#include <algorithm>

namespace adassl::data {

struct Loader::Pending {
  Pending(int64_t number, const random::Stream& draws) : step(number), stream(draws) {}

  int64_t step;
  random::Stream stream;
  Batch batch;
  int64_t shares = 0;
  int64_t begun = 0;  // shares that a worker has taken
  int64_t done = 0;
  int64_t failed_share = 0;
  std::exception_ptr failure;  // of the first share that failed
};

Loader::Loader(const LoaderContext& context)
    : context_(context), order_(context.source.pair_count(), context.seed, context.batch) {
  const int64_t shares = std::max<int64_t>(context.workers, 1);
  share_rows_ = std::max<int64_t>((context.batch + shares - 1) / shares, 1);
  for (int64_t i = 0; i < context.workers; ++i) workers_.emplace_back([this] { work(); });
}

Loader::~Loader() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wanted_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<Loader::Pending> Loader::start(int64_t step) const {
  auto out = std::make_shared<Pending>(
      step, random::Stream(context_.seed, "pairs", static_cast<uint64_t>(step)));
  out->batch = make_batch(context_.source.shape(), context_.batch);
  out->shares = (context_.batch + share_rows_ - 1) / share_rows_;
  return out;
}

void Loader::make_share(Pending& pending, int64_t share) const {
  const int64_t first = share * share_rows_;
  const auto pairs =
      order_.rows(pending.step, first, std::min(share_rows_, context_.batch - first));
  context_.source.make_pairs({pending.stream, first, pairs}, pending.batch);
}

void Loader::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto next = std::ranges::find_if(
        pending_, [](const auto& pending) { return pending->begun < pending->shares; });
    if (ends_) return;
    if (next == pending_.end()) {
      wanted_.wait(lock);
      continue;
    }
    const std::shared_ptr<Pending> pending = *next;  // a copy: take() may clear the queue
    const int64_t share = pending->begun++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      make_share(*pending, share);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && (!pending->failure || share < pending->failed_share)) {
      pending->failure = failure;
      pending->failed_share = share;
    }
    if (++pending->done == pending->shares) made_.notify_all();
  }
}

Batch Loader::take(int64_t step) {
  if (workers_.empty()) {
    const auto pending = start(step);
    for (int64_t share = 0; share < pending->shares; ++share) make_share(*pending, share);
    return std::move(pending->batch);
  }
  std::unique_lock lock(mutex_);
  if (!pending_.empty() && pending_.front()->step != step) pending_.clear();
  const int64_t last = std::min(step + context_.depth, context_.steps - 1);
  for (int64_t next = step + static_cast<int64_t>(pending_.size()); next <= std::max(step, last);
       ++next) {
    pending_.push_back(start(next));
  }
  wanted_.notify_all();
  const std::shared_ptr<Pending> pending = pending_.front();
  made_.wait(lock, [&] { return pending->done == pending->shares; });
  pending_.pop_front();
  if (pending->failure) std::rethrow_exception(pending->failure);
  return std::move(pending->batch);
}

}  // namespace adassl::data
