#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "deciding/decision.h"
#include "deciding/decisions.h"
#include "deciding/open_trials.h"

namespace toccata {

// Decides which algorithms serve the nonblocking calls of one communicator if the program names
// none. A nonblocking call must not wait for other ranks. So the ranks agree when the program calls
// a blocking collective on that communicator, because all ranks are then at the same call.
class OpenDecisions {
 public:
  // `blocking`: those on blocking calls of the same communicator.
  OpenDecisions(Ranks& ranks, Decisions& blocking) : ranks_(ranks), blocking_(blocking) {}

  // Calls of one collective and size class.
  struct SizeClass {
    Question call;
    std::int64_t least, most;  // bytes
    std::int64_t calls = 0;
    // The number of next calls that the MPI library serves without any check.
    std::int64_t left = 0;
    std::unique_ptr<Decision> decision = nullptr;
    std::unique_ptr<OpenTrials> trials = nullptr;
  };

  // The candidate for a call that starts now. All ranks ask for it, for every valid nonblocking
  // call. Nothing if no decision is tracked: there were too few calls, or the rules decide
  // otherwise.
  struct Verdict {
    SizeClass* calls;
    OpenTrials::Start start;
    Server& server() const { return calls->decision->server(start.candidate); }
  };
  std::optional<Verdict> verdict(const Question& call);

  // The class of a call if its next calls, including this one, are lent to the MPI library;
  // otherwise null. Counts the call. All ranks ask this before verdict().
  SizeClass* lent(const Question& call);
  // Call this if the MPI library serves a call, untimed, because of a decision or without one.
  // Lends it as many of the next calls as possible. All ranks call this.
  SizeClass& lend(const Question& call);
  // Ends all loans, because the rules or a decision on blocking calls have changed.
  void take_back();

  // Whether trials have ended but the ranks have not agreed on their times yet. The same on all
  // ranks at the same call. agree() is collective.
  bool are_due() const { return due_ > 0; }
  void agree();
  // Ends all trials for good.
  void give_up();

  void tell() {
    for (SizeClass& each : classes_)
      if (each.decision != nullptr) each.decision->tell();
  }

 private:
  SizeClass* find(const Question& call);
  SizeClass& of(const Question& call);
  bool are_tracked(const Question& call) const;

  Ranks& ranks_;
  Decisions& blocking_;
  std::list<SizeClass> classes_;  // addresses never change
  int due_ = 0;
  bool gave_up_ = false;
};

}  // namespace toccata
