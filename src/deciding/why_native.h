#pragma once

#include "deciding/decision.h"

namespace toccata {

// The reason why the MPI library serves a call of p ranks without a decision, as a word for the
// report; python/toccata/launching/reports.py contains the sentences. `obey`: see
// Ranks::obey_rules.
const char* why_native(const Question& call, int p, const Rules& rules, bool obey);

}  // namespace toccata
