#pragma once

#include <array>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "deciding/decision.h"

namespace toccata {

// Decides which algorithms serve the calls of one communicator if the program names none: for each
// collective and size class, at its first call. The addresses of this object and of its decisions
// never change.
class Decisions {
 public:
  explicit Decisions(Ranks& ranks) : ranks_(ranks) {}

  // Calls of one collective and size class.
  struct SizeClass {
    const Collective* collective = nullptr;
    std::int64_t least = -1, most = SizedChoice::most_bytes;  // bytes
    // The number of next calls that the MPI library serves. After that, the decision serves; if
    // there is none, one algorithm for all sizes.
    std::int64_t left = 0;
    std::unique_ptr<Decision> decision = nullptr;
    bool wants_decision = false;
    bool keeps_order = false, runs_users_code = false, is_final = false;  // see Question
  };

  // The class of a call; counts the call.
  SizeClass& of(const Question& call) {
    SizeClass* found = find(call);
    if (found == nullptr) found = &make(call);
    if (found->left == 0 && found->wants_decision) decide(*found, call);
    return *found;
  }

  // The algorithm or library that serves a call.
  struct Verdict {
    // The class of the call if the MPI library serves this call and the next `left` calls of the
    // class; otherwise null.
    SizeClass* lent = nullptr;
    // The decision whose candidate serves the call. If both pointers are null, one algorithm serves
    // all sizes.
    Decision* decision = nullptr;
    Trials::Next next = {0, false};
  };
  // All ranks call this for all blocking calls, except for calls lent to the MPI library. With
  // `one_by_one`, this rank lends no calls.
  Verdict verdict(const Question& call, bool one_by_one) {
    SizeClass& calls = of(call);
    Decision* const decision = calls.decision.get();
    Trials* const trials = decision == nullptr ? nullptr : decision->trials();
    if (calls.left == 0 && trials != nullptr && trials->asks()) trials->answer(may_try(calls));
    if (!one_by_one && calls.left == 0 && decision != nullptr) calls.left = decision->lend();
    if (calls.left > 0) {
      --calls.left;
      return {.lent = one_by_one ? nullptr : &calls};
    }
    if (decision == nullptr) return {};
    return {.decision = decision, .next = decision->next()};
  }

  // The decision for a call that must not wait for other ranks; null if no blocking call has made
  // it yet.
  Decision* made_for(const Question& call);

  // Whether there is a class for calls like this one.
  bool know(const Question& call) { return find(call) != nullptr; }
  // The algorithm that the user requests for such a call.
  Choice asked_for(const Question& call) {
    return asked(call).choice.at(call.bytes < 0 ? SizedChoice::most_bytes : call.bytes);
  }

  // Decides how to serve later calls. Collective.
  void ask(const Collective& collective, SizedChoice choice);

  // Writes the results of all decisions to the report and to the file of learned results.
  void tell();

 private:
  SizeClass* find(const Question& call);
  SizeClass& free_class();
  SizeClass& make(const Question& call);
  // The requested algorithm, and whether it depends on the size.
  struct Asked {
    SizedChoice choice;
    bool by_size;
    bool reorders;  // whether the model finds the order of the ranks
  };
  Asked asked(const Question& call);
  bool follows_node_rule(const SizeClass& calls);
  bool follows_network_rule(const SizeClass& calls) const;
  bool may_try(const SizeClass& asking) const;
  void begin(SizeClass& made, const Question& call);
  void decide(SizeClass& calls, const Question& call);

  Ranks& ranks_;
  std::vector<std::pair<const Collective*, SizedChoice>> asked_;  // by name
  // In pairs, because that takes the least memory; entries without a collective are free.
  std::forward_list<std::array<SizeClass, 2>> classes_;
};

}  // namespace toccata
