#include "mpi/process/progress_thread.h"

namespace toccata {

ProgressThread::ProgressThread(Background& background)
    : background_(background), thread_([this] { run(); }) {}

ProgressThread::~ProgressThread() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

// Takes the lock: otherwise the thread could check first, miss the new request, and sleep.
void ProgressThread::wake() {
  { const std::lock_guard lock(mutex_); }
  woken_.notify_one();
}

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  while (!stops_) {
    woken_.wait(lock, [&] { return stops_ || background_.busy(); });
    lock.unlock();
    if (background_.busy()) background_.progress();
    std::this_thread::yield();
    lock.lock();
  }
}

}  // namespace toccata
