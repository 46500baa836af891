#include "choices/reproducible.h"

#include <utility>

#include "choices/proved.h"
#include "writing/count.h"
#include "writing/registry.h"

namespace toccata {

Choice reproducible(const Collective& collective, const Choice& choice, const Shape& known,
                    bool ordered) {
  if (!collective.reduces || (!choice.native() && choice.algorithm->reproducible)) return choice;
  Choice best;
  Cost least;
  for (const Algorithm* each : all_algorithms()) {
    if (!each->serves(collective) || !each->reproducible || (ordered && !each->ordered) ||
        !is_proved(*each) || !each->why_impossible(known).empty())
      continue;
    const Cost cost = count(*each, each->complete(known));
    if (!best.native() && std::pair(cost.rounds, cost.sent) >= std::pair(least.rounds, least.sent))
      continue;
    best = {each, Parameters(each->parameters)};
    least = cost;
  }
  return best;
}

}  // namespace toccata
