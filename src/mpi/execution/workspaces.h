#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "mpi/execution/execution.h"
#include "mpi/execution/sized_execution.h"

namespace toccata {

// Runs blocking calls with memory that is kept between calls. The process has one engine of each
// kind and lends it to the caller. If a second thread calls meanwhile, it creates its own engine.
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

 private:
  std::atomic<Execution*> plain_ = nullptr;
  std::atomic<SizedExecution*> sized_ = nullptr;
};

}  // namespace toccata
