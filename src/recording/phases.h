#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "recording/lock.h"

namespace toccata::recording {

// The phases of a program: MPI_Pcontrol(number) begins the one with that number, MPI_Pcontrol(0)
// stops the record. Programs begin in phase 1. The phases beyond the first eight count together, so
// that the memory is bounded for programs that pass the number of a time step.
class Phases {
 public:
  static constexpr int paused = -1;

  // The index of the present phase, or paused.
  int now() const { return now_.load(std::memory_order_relaxed); }

  void enter(std::int32_t number) {
    if (number == 0) return now_.store(paused, std::memory_order_relaxed);
    const Lock lock(busy_);
    int index = 0;
    while (index < known_ && numbers_[index] != number) ++index;
    if (index == known_ && known_ < most) numbers_[known_++] = number;
    now_.store(index, std::memory_order_relaxed);
  }

  // 0 for the phases beyond the first eight.
  std::int32_t number(int index) const { return numbers_[index]; }

 private:
  static constexpr int most = 8;

  std::atomic<int> now_ = 0;
  std::atomic_flag busy_;
  int known_ = 1;
  std::array<std::int32_t, most + 1> numbers_{1};
};

}  // namespace toccata::recording
