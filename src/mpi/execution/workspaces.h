#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mpi/execution/execution.h"
#include "mpi/execution/sized_execution.h"

namespace toccata {

// Engines that keep their memory from call to call. For blocking calls, the process has one of each
// kind and lends it to the caller. If a second thread calls meanwhile, it creates its own engine.
// A request takes an engine until it ends. Engines that used only shared memory are kept.
class Workspaces {
 public:
  Workspaces() = default;
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces() {
    delete plain_.load();
    delete sized_.load();
  }

  template <typename Kind>
  class Lease {
   public:
    explicit Lease(std::atomic<Kind*>& home) : home_(home), engine_(home.exchange(nullptr)) {
      if (engine_ == nullptr) engine_ = new Kind;
    }
    ~Lease() { delete home_.exchange(engine_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Kind& operator*() const { return *engine_; }
    Kind* operator->() const { return engine_; }

   private:
    std::atomic<Kind*>& home_;
    Kind* engine_;
  };

  Lease<Execution> plain() { return Lease<Execution>(plain_); }
  Lease<SizedExecution> sized() { return Lease<SizedExecution>(sized_); }

  std::unique_ptr<Execution> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Execution>();
    std::unique_ptr<Execution> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<Execution> engine) {
    engine->keep_little();
    const std::lock_guard lock(mutex_);
    if (idle_.size() < most_idle) idle_.push_back(std::move(engine));
  }

 private:
  static constexpr std::size_t most_idle = 4;
  std::atomic<Execution*> plain_ = nullptr;
  std::atomic<SizedExecution*> sized_ = nullptr;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<Execution>> idle_;
};

}  // namespace toccata
