#pragma once

#include <chrono>
#include <string>

namespace toccata {

// Others may never come: where the preload or the settings have not reached them, for instance. Who
// waits for them calls tick() now and then; after ten seconds a line on standard error says what is
// being waited for, once on a host.
class Patience {
 public:
  // "MPI_Init of all 64 ranks": what is being waited for.
  explicit Patience(std::string what) : what_(std::move(what)) {}
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
