#pragma once

#include <chrono>
#include <string>

namespace toccata {

// Whether this process is the first of its job on this host to call this function. So ranks with
// the same message print it only once.
bool is_first_on_host();

// Other ranks may never arrive, for example if the preload or the settings have not reached them. A
// waiting caller calls tick() from time to time. After ten seconds, one process per host prints a
// line on standard error with the awaited event.
class Overdue {
 public:
  // The awaited event, such as "MPI_Init of all 64 ranks".
  explicit Overdue(std::string what) : what_(std::move(what)) {}
  void tick() {
    if (!said_ && std::chrono::steady_clock::now() - started_ > std::chrono::seconds(10)) say();
  }

 private:
  void say();

  std::string what_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  bool said_ = false;
};

}  // namespace toccata
