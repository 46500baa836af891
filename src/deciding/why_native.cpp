#include "deciding/why_native.h"

namespace toccata {

const char* why_native(const Question& call, const Facts& facts, const Rules& rules) {
  if (facts.ranks == 1) return "alone";
  if (!facts.obey_rules) return "world";
  if (!rules.is_on()) return "off";
  if (rules.names(call.collective)) return "asked";
  if (rules.reproducible() && call.collective.reduces) return "reproducible";
  if (depends_on_order_of_edges(call.collective) && facts.edges == Edges::repeated) return "edges";
  if (call.bytes == 0 && !call.collective.synchronizes) return "empty";
  if (call.keeps_order && (call.runs_users_code || !rules.learns_sums())) return "rounds";
  return rules.guarding() == Rules::Guarding::off ? "none" : "first";
}

}  // namespace toccata
