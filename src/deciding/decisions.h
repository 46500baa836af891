#pragma once

#include <array>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "deciding/decision.h"

namespace toccata {

// Which algorithms serve the calls of one communicator for which the program names none: decided
// for each collective and size class at its first call. Neither this nor what it points to moves.
class Decisions {
 public:
  explicit Decisions(Ranks& ranks) : ranks_(ranks) {}

  // Calls of one collective and size class.
  struct SizeClass {
    const Collective* collective = nullptr;
    std::int64_t least = -1, most = SizedChoice::most_bytes;  // bytes
    // So many of the next calls are the MPI library's. The decision serves those after them; or if
    // none is wanted, one algorithm for all sizes.
    std::int64_t left = 0;
    std::unique_ptr<Decision> decision = nullptr;
    bool wants_decision = false;
    bool keeps_order = false;  // see Question
  };

  // The class of a call, which is one more of them.
  SizeClass& of(const Question& call) {
    SizeClass* found = find(call);
    if (found == nullptr) found = &make(call);
    if (found->left == 0 && found->wants_decision) decide(*found, call);
    return *found;
  }

  // What serves a call.
  struct Verdict {
    // The MPI library, also the next calls of the class, as many as are left there. Else:
    SizeClass* lent = nullptr;
    // The candidate of a decision; or, if null, one algorithm for all sizes.
    Decision* decision = nullptr;
    Trials::Next next = {0, false};
  };
  // All ranks come here for all blocking calls, except for those lent. Nothing is lent to a rank
  // that goes `one_by_one`.
  Verdict verdict(const Question& call, bool one_by_one) {
    SizeClass& calls = of(call);
    Decision* const decision = calls.decision.get();
    if (!one_by_one && calls.left == 0 && decision != nullptr) calls.left = decision->lend();
    if (calls.left > 0) {
      --calls.left;
      return {.lent = one_by_one ? nullptr : &calls};
    }
    if (decision == nullptr) return {};
    return {.decision = decision, .next = decision->next()};
  }

  // The decision for a call that must not wait for other ranks; null if there is none yet, and a
  // blocking call has to come first.
  Decision* made_for(const Question& call);

  // Whether calls like this one were asked about before.
  bool know(const Question& call) { return find(call) != nullptr; }
  // What a user asks for such a call.
  Choice asked_for(const Question& call) {
    return asked(call).choice.at(call.bytes < 0 ? SizedChoice::most_bytes : call.bytes);
  }

  // Later calls are served so. Collective.
  void ask(const Collective& collective, SizedChoice choice);

  // Passes on what the decisions know.
  void tell();

 private:
  SizeClass* find(const Question& call);
  SizeClass& free_class();
  SizeClass& make(const Question& call);
  // What is requested, and whether it depends on the size.
  struct Asked {
    SizedChoice choice;
    bool by_size;
    bool reorders;  // in an order that is the model's to find
  };
  Asked asked(const Question& call);
  bool follows_node_rule(const SizeClass& calls);
  void begin(SizeClass& made, const Question& call);
  void decide(SizeClass& calls, const Question& call);

  Ranks& ranks_;
  std::vector<std::pair<const Collective*, SizedChoice>> asked_;  // by name
  // Two by two, as that takes the least memory; those without a collective are free.
  std::forward_list<std::array<SizeClass, 2>> classes_;
};

}  // namespace toccata
