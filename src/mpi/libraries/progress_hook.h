#pragma once

#include <atomic>

namespace toccata {

class Background;

// Makes the MPI library advance our open collectives whenever it waits. A rank in MPI_Recv must
// also advance the collectives for which other ranks wait. Open MPI offers this, and MPICH from 4.3
// on.
struct ProgressHook {
  // Whether this MPI has a hook. `threads`: whether several threads may call MPI. Open MPI's hook
  // is installed and never removed, because MPI may be reading its list of hooks. It tests only one
  // flag while no collective is open.
  static bool install(bool threads);
  // What the hook advances from now on; null: nothing.
  static void drive(Background* background);
  // Call this when a collective was added. MPICH's hook exists only while any is open, because
  // MPI_Finalize waits until the hook ends.
  static bool wake();
  static bool is_driving() { return driven.load(std::memory_order_acquire) != nullptr; }

  // While this exists, Open MPI does not yield the core. Every test of an incomplete request makes
  // progress, which yields if ranks share cores: once per open request, although the waiting
  // function that advances our requests yields anyway. So it must yield afterwards, by a test or
  // wait of MPI or by itself. Only one object may exist at a time.
  class WithoutYielding {
   public:
    WithoutYielding() {
      if (auto* const set = set_yielding.load(std::memory_order_acquire)) yielded_ = set(false);
    }
    ~WithoutYielding() {
      if (yielded_) set_yielding.load(std::memory_order_acquire)(true);
    }
    WithoutYielding(const WithoutYielding&) = delete;
    WithoutYielding& operator=(const WithoutYielding&) = delete;

   private:
    bool yielded_ = false;
  };

 private:
  // What the MPI library calls. It cannot handle exceptions.
  static int progress() noexcept;

  static inline std::atomic<Background*> driven{nullptr};
  static inline std::atomic<bool (*)(bool)> set_yielding{nullptr};  // returns the previous state
};

}  // namespace toccata
