#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

/// Data that are made ahead of their use, on threads of their own: batches of training, pieces of
/// what an evaluation looks at, blocks of what is embedded.
namespace adassl::data {

/// How many threads make data ahead, and how far. What is made does not depend on it.
struct Prefetch {
  int64_t workers = 0;  // threads; 0: everything is made when it is asked for
  int64_t depth = 1;    // the number of jobs that are begun ahead
};

/// Work on rows, which can be made in any order and by several threads at once.
struct Work {
  int64_t rows = 0;
  int64_t share = 0;  // rows that one thread makes at a time
  std::function<void(int64_t first, int64_t count)> make;
};

/// What is to be made: the memory that `work` fills.
template <class Made>
struct Job {
  std::shared_ptr<Made> made;
  Work work;
};

/// The threads behind Ahead. All of them work on the job that is needed next. If nobody has begun
/// some of its shares when it is asked for, the caller makes these on the threads of the kernels.
class Crew {
 public:
  using Start = std::function<Job<void>(int64_t number)>;
  Crew(Start start, int64_t jobs, const Prefetch& prefetch);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::shared_ptr<void> take(int64_t number);

 private:
  struct Pending;  // a job that is being done
  std::shared_ptr<Pending> begin(int64_t number) const;
  std::shared_ptr<Pending> enqueue(int64_t number);
  int64_t next_share(Pending& pending);
  int64_t unbegun(const Pending& pending);
  void make_share(Pending& pending, int64_t share);
  void work();

  Start start_;
  int64_t jobs_;
  int64_t depth_;
  std::mutex mutex_;
  std::condition_variable wanted_, made_;
  std::deque<std::shared_ptr<Pending>> pending_;  // in the order of their numbers
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

/// Makes jobs 0 ... jobs - 1, of which start(number) says what is to be done; `start` is called on
/// the caller's thread. An exception of a job is rethrown when that job is taken; if there are
/// several, that of the first share.
template <class Made>
class Ahead {
 public:
  Ahead(std::function<Job<Made>(int64_t number)> start, int64_t jobs, const Prefetch& prefetch)
      : crew_(
            [start = std::move(start)](int64_t number) {
              Job<Made> job = start(number);
              return Job<void>{std::move(job.made), std::move(job.work)};
            },
            jobs, prefetch) {}

  /// What job `number` makes. It has already been begun if it follows the one taken before.
  Made take(int64_t number) {
    return std::move(*std::static_pointer_cast<Made>(crew_.take(number)));
  }

 private:
  Crew crew_;
};

}  // namespace adassl::data
