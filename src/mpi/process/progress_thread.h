#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "mpi/libraries/background.h"

namespace toccata {

// TOCCATA_PROGRESS=thread: a thread that advances open requests while the program computes. It
// sleeps while no request is open; otherwise it uses a core, if one is free. MPI must allow calls
// from several threads at a time.
class ProgressThread {
 public:
  explicit ProgressThread(Background& background);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  // A request was added.
  void wake();

 private:
  void run();

  Background& background_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool stops_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace toccata
