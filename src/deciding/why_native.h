#pragma once

#include "deciding/decision.h"

namespace toccata {

// The reason why the MPI library serves a call without a decision, as a word for the report;
// python/toccata/launching/reports.py contains the sentences.
const char* why_native(const Question& call, const Facts& facts, const Rules& rules);

}  // namespace toccata
