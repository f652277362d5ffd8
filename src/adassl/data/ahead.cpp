#include "adassl/data/ahead.h"

#include <algorithm>

#include "adassl/kernels/threads.h"

namespace adassl::data {

struct Crew::Pending {
  int64_t number = 0;
  Job<void> job;
  int64_t shares = 0;
  int64_t begun = 0;  // shares that a thread has taken
  int64_t done = 0;
  int64_t failed_share = 0;
  std::exception_ptr failure = {};  // of the first share that failed
};

Crew::Crew(Start start, int64_t jobs, const Prefetch& prefetch)
    : start_(std::move(start)), jobs_(jobs), depth_(prefetch.workers > 0 ? prefetch.depth : 0) {
  for (int64_t i = 0; i < prefetch.workers; ++i) workers_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wanted_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::shared_ptr<Crew::Pending> Crew::begin(int64_t number) const {
  auto out = std::make_shared<Pending>();
  out->number = number;
  out->job = start_(number);
  const Work& work = out->job.work;
  out->shares = work.rows == 0 ? 0 : (work.rows + work.share - 1) / work.share;
  return out;
}

/// Begins this job and those that are to be made ahead, unless they have been begun already.
std::shared_ptr<Crew::Pending> Crew::enqueue(int64_t number) {
  const std::lock_guard lock(mutex_);
  if (!pending_.empty() && pending_.front()->number != number) pending_.clear();
  const int64_t last = std::max(number, std::min(number + depth_, jobs_ - 1));
  for (int64_t next = number + static_cast<int64_t>(pending_.size()); next <= last; ++next) {
    pending_.push_back(begin(next));
  }
  return pending_.front();
}

/// The share that a thread is to make now; -1 if all have been begun.
int64_t Crew::next_share(Pending& pending) {
  const std::lock_guard lock(mutex_);
  return pending.begun < pending.shares ? pending.begun++ : -1;
}

int64_t Crew::unbegun(const Pending& pending) {
  const std::lock_guard lock(mutex_);
  return pending.shares - pending.begun;
}

/// Makes a share that was counted as begun. Whatever it throws is kept for take().
void Crew::make_share(Pending& pending, int64_t share) {
  const Work& work = pending.job.work;
  const int64_t first = share * work.share;
  std::exception_ptr failure;
  try {
    work.make(first, std::min(work.share, work.rows - first));
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (failure && (!pending.failure || share < pending.failed_share)) {
    pending.failure = failure;
    pending.failed_share = share;
  }
  if (++pending.done == pending.shares) made_.notify_all();
}

void Crew::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const auto next = std::ranges::find_if(
        pending_, [](const auto& pending) { return pending->begun < pending->shares; });
    if (next == pending_.end()) {
      wanted_.wait(lock);
      continue;
    }
    const std::shared_ptr<Pending> pending = *next;  // a copy: the queue may be cleared
    const int64_t share = pending->begun++;
    lock.unlock();
    make_share(*pending, share);
    lock.lock();
  }
}

std::shared_ptr<void> Crew::take(int64_t number) {
  const std::shared_ptr<Pending> pending = enqueue(number);
  wanted_.notify_all();
  const auto make_next = [&](int64_t) {
    if (const int64_t share = next_share(*pending); share >= 0) make_share(*pending, share);
  };
  if (pending->shares == 1) {
    make_next(0);  // may use the threads of the kernels itself
  } else if (const int64_t left = unbegun(*pending); left > 0) {
    kernels::parallel_for(left, make_next);
  }
  std::unique_lock lock(mutex_);
  made_.wait(lock, [&] { return pending->done == pending->shares; });
  pending_.pop_front();
  if (pending->failure) std::rethrow_exception(pending->failure);
  return pending->job.made;
}

}  // namespace adassl::data
