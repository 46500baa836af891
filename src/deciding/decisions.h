#pragma once

#include <array>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <utility>

#include "deciding/decision.h"

namespace toccata {

// Decides which algorithms serve the calls of one communicator if the program names none: for each
// collective, form and size class, at its first call. The addresses of this object and of its
// decisions never change.
//
// The forms differ only in the time at which ranks can agree:
//
//   blocking      now, because all ranks are at the same call
//   nonblocking   never: such a call must not wait. So the ranks agree when the program calls a
//                 blocking collective on the same communicator
//   persistent    when the request is made, and afterwards by messages for which no start waits
class Decisions {
 public:
  explicit Decisions(Ranks& ranks) : ranks_(ranks) {}

  // Calls of one collective, form and size class.
  struct SizeClass {
    const Collective* collective = nullptr;
    std::int64_t least = -1, most = SizedChoice::most_bytes;  // bytes
    // The number of next calls that the MPI library serves. After that, the decision serves; if
    // there is none, one algorithm for all sizes.
    std::int64_t left = 0;
    std::unique_ptr<Decision> decision = nullptr;
    Form form = Form::blocking;
    bool wants_decision = false;
    bool keeps_order = false, runs_users_code = false, is_final = false;  // see Question
    bool begins_natively = false;        // the MPI library serves calls before the decision
    std::int8_t calls_to_decision = -1;  // of nonblocking calls; negative: the decision was made

    // Adds a call that did not take place.
    static void add_back(std::int64_t& left) {
      if (left < OpenTrials::unlimited) ++left;
    }
  };
  static_assert(sizeof(SizeClass) <= 6 * sizeof(std::int64_t), "programs have many");

  // The algorithm or library that serves a call.
  struct Verdict {
    // The class of the call if the MPI library serves this call and the next `left` calls of the
    // class; otherwise null.
    SizeClass* lent = nullptr;
    // The same class if this rank counts each call.
    SizeClass* kept = nullptr;
    // The decision whose candidate serves the call. If both pointers are null, one algorithm serves
    // all sizes; or, if the call is nonblocking, that of blocking calls (made_for).
    Decision* decision = nullptr;
    Trials::Start start = {};
  };
  // All ranks call this for all valid blocking and nonblocking calls, except for calls lent to the
  // MPI library. With `one_by_one`, this rank lends no blocking calls.
  Verdict verdict(const Question& call, Form form, bool one_by_one) {
    SizeClass& calls = class_of(call, form);
    return form == Form::blocking ? blocking(calls, call, one_by_one) : nonblocking(calls, call);
  }
  // Call this after each blocking call, as Decision::ended().
  void ended(const Verdict& verdict, const Question& call, const TimedCall& timed, bool on_device) {
    if (verdict.decision == nullptr) return;
    verdict.decision->ended(call, timed, on_device);
    if (verdict.decision->has_changed()) take_back();  // nonblocking calls may follow it
  }
  // Call this instead if MPI rejected the arguments. The others have not made this call yet.
  static void rejected(const Verdict& verdict);
  // Call this if the MPI library serves a nonblocking call, untimed, because of a decision or
  // without one. Lends it as many of the next calls as possible. All ranks call this.
  SizeClass& lend(const Question& call);

  // Whether trials of nonblocking calls have ended but the ranks have not agreed on their times
  // yet. The same on all ranks at the same call. agree() is collective.
  bool are_due() const { return are_due_; }
  void agree();
  // Ends all trials of nonblocking calls for good.
  void give_up();

  // The decision for a persistent call; null if the choice of blocking calls serves it. Collective.
  std::unique_ptr<Decision> persistent(const Question& call);

  // The decision for a call that must not wait for other ranks; null if no blocking call has made
  // it yet.
  Decision* made_for(const Question& call) { return class_of(call, Form::blocking).decision.get(); }

  // Whether there is a class for blocking calls like this one.
  bool know(const Question& call) { return find(call, Form::blocking) != nullptr; }
  // The algorithm that the user requests for such a call.
  Choice asked_for(const Question& call) {
    return asked(call).choice.at(call.bytes < 0 ? SizedChoice::most_bytes : call.bytes);
  }

  // Decides how to serve later calls. Collective.
  void ask(const Collective& collective, SizedChoice choice);

  // Writes the results of all decisions to the report and to the file of learned results.
  void tell();

 private:
  template <typename Visit>
  void each_class(Visit&& visit) {
    for (auto& two : classes_)
      for (SizeClass& each : two) visit(each);
  }
  SizeClass* find(const Question& call, Form form);
  SizeClass& free_class();
  SizeClass& class_of(const Question& call, Form form);  // made at its first call
  // The requested algorithm, and whether it depends on the size.
  struct Asked {
    SizedChoice choice;
    bool by_size;
    bool reorders;  // whether the model finds the order of the ranks
  };
  Asked asked(const Question& call);
  bool follows_node_rule(const SizeClass& calls);
  bool order_must_stay(const SizeClass& calls);
  bool follows_network_rule(const SizeClass& calls) const;
  bool follows_topology(const SizeClass& calls);
  bool may_try(const SizeClass& asking) const;
  void begin(SizeClass& made, const Question& call);
  void begin_nonblocking(SizeClass& made, const Question& call);
  void decide(SizeClass& calls, const Question& call);
  Verdict blocking(SizeClass& calls, const Question& call, bool one_by_one);
  Verdict nonblocking(SizeClass& calls, const Question& call);
  void take_back();  // all loans of nonblocking calls

  Ranks& ranks_;
  std::forward_list<std::pair<const Collective*, SizedChoice>> asked_;  // by name
  // In pairs, because that takes the least memory; entries without a collective are free.
  std::forward_list<std::array<SizeClass, 2>> classes_;
  bool are_due_ = false, gave_up_ = false;
};

}  // namespace toccata
