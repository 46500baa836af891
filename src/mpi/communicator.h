#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/execution.h"
#include "mpi/plan.h"
#include "mpi/process.h"
#include "mpi/report.h"
#include "mpi/sized_execution.h"

namespace toccata {

// How many ranks a collective of this communicator names in its arrays.
int peers_in(MPI_Comm comm);

// What we keep for a communicator of the user's: a private duplicate for our messages, and a plan
// for each algorithm used. An attribute of the user's communicator, freed with it, or when the last
// request on it has ended.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  // Made at the communicator's first collective. Null where the library cannot serve it: outside
  // MPI_Init and MPI_Finalize, and for MPI_COMM_NULL.
  static Communicator* of(MPI_Comm user);

  Communicator(Process& process, MPI_Comm user);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  Process& process() const { return *process_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_inter() const { return is_inter_; }
  // Where the ranks run; asks them, if nobody has yet, and so is to be called on all of them.
  const Placement& placement();

  // The plan for an algorithm by name, with parameters. RequestError if there is none such, or it
  // cannot run here. Null asks for what the environment says, which falls back to native.
  const Plan& plan(const Collective& collective, const char* algorithm) {
    if (algorithm == nullptr) {
      for (const auto& [each, plan] : asked_)
        if (each == &collective) return *plan;
      return plan_asked(collective);
    }
    for (const Named& each : named_)
      if (each.collective == &collective && each.algorithm == algorithm) return *each.plan;
    return plan_named(collective, algorithm);
  }
  // The same plan for another root; itself where there is no such rank.
  const Plan& for_root(const Plan& plan, int root);
  // What serves a reduction that the plan's algorithm cannot: the MPI library's own; or, where
  // results are to be reproducible and a plan in the order of the ranks would do, such a one.
  const Plan& instead_of(const Plan& plan, bool ordered_would_do);

  // The duplicate, made by waiting for the others; at once where it is there already.
  int make_private() { return private_ready_ ? MPI_SUCCESS : make_private_now(); }
  // The same without waiting, for nonblocking calls: sets out to make it, and asks whether it is
  // there, which also drives its making.
  int start_private();
  int test_private(bool& ready);
  // Waits for a duplicate that is being made; other requests go on meanwhile.
  int end_duplicating();
  MPI_Comm private_comm() const { return private_; }

  // The first of a collective's tags, the same on every rank. Blocking calls follow each other on
  // every rank in the same order, and so can all have the same tags, for which MPI is quickest.
  // Nonblocking ones overlap; they take tags in turn. A persistent one keeps its tags, as its
  // starts may be ordered differently.
  static constexpr int blocking_tag = 0;
  int take_tags(int tags) { return next_tag_.take(tags); }
  int take_persistent_tags(int tags) { return next_persistent_tag_.take(tags); }

  // The workspace of blocking calls, of which a communicator has one at a time.
  Execution& workspace() { return workspace_; }
  SizedExecution& sized_workspace();

  // For the report: one more call, of `bytes` in all, that started at `started` (of MPI_Wtime).
  void count(const Plan& plan, std::int64_t bytes, double started);
  const Report& report() const { return report_; }

  // The user's error handler gets `code`, which is also returned.
  int raise(int code) const { return code == MPI_SUCCESS ? code : raise_error(code); }

  // The user's communicator is gone, or MPI is about to end; requests may still hold on to us.
  void leave_user();
  void close();

 private:
  // Tags in turn from a range; after the last comes the first again.
  struct TagCycle {
    int first = 0, end = 0, next = 0;
    int take(int count) {
      if (next + count > end) next = first;
      next += count;
      return next - count;
    }
  };
  struct Named {
    const Collective* collective;
    std::string algorithm;
    const Plan* plan;
  };

  // What all ranks know of the communicator.
  Shape known(int root = 0) const {
    Shape shape = known_;
    shape.root = root;
    return shape;
  }
  // Finds out what of that the algorithm goes by, the first time it is asked for: all ranks have to
  // come here, as they do when they all make the same plan.
  void look_around(const Algorithm& algorithm);
  // Plans for the roots that came so far, but not without bound.
  struct Rooted {
    const Plan* plan;
    std::vector<std::shared_ptr<const Plan>> by_root;
    std::size_t memory = 0;
  };
  struct Instead {
    const Plan* plan;
    bool ordered;
    const Plan* instead;
  };

  std::shared_ptr<Plan> make_plan(const Collective& collective, const Choice& choice, int root);
  const Plan& add_plan(const Collective& collective, const Choice& choice,
                       const std::string& label);
  // What TOCCATA_REPRODUCIBLE makes of a choice.
  Choice reproducible(const Collective& collective, const Choice& choice, bool ordered) const;
  const Plan& plan_asked(const Collective& collective);
  const Plan& plan_named(const Collective& collective, const char* algorithm);
  int raise_error(int code) const;
  int make_private_now();
  int finish_private(int code);

  std::shared_ptr<Communicator> self_;  // held by the attribute of the user's communicator
  Process* process_;                    // null once MPI is about to end
  MPI_Comm user_;
  int rank_ = 0;
  int size_ = 0;
  bool is_inter_ = false;
  Shape known_;
  bool placed_ = false;  // the ranks have been asked where they run

  MPI_Comm private_ = MPI_COMM_NULL;
  MPI_Request duplicating_ = MPI_REQUEST_NULL;
  std::recursive_mutex private_mutex_;
  bool completing_ = false;  // we are in MPI for duplicating_
  std::atomic<bool> private_ready_ = false;

  TagCycle next_tag_, next_persistent_tag_;
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::vector<Named> named_;
  std::vector<std::pair<const Collective*, const Plan*>> asked_;  // by the environment
  std::vector<Rooted> rooted_;
  std::vector<Instead> instead_;
  Execution workspace_;
  std::unique_ptr<SizedExecution> sized_workspace_;  // once it is needed
  Report report_;
  std::mutex report_mutex_;
};

}  // namespace toccata
