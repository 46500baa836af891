#pragma once

#include "deciding/decision.h"

namespace toccata {

// Why the MPI library serves a call among p ranks for which there is no decision, as a word for the
// report; python/toccata/reports.py has the sentences. `obey`: see Ranks::obey_rules.
const char* why_native(const Question& call, int p, const Rules& rules, bool obey);

}  // namespace toccata
