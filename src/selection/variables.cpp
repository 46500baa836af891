#include "selection/variables.h"

#include <array>
#include <vector>

#include "collectives/collective.h"
#include "selection/spelling.h"

namespace toccata {

namespace {

// The names that begin with TOCCATA_ and have a meaning, but for those of the collectives.
constexpr std::array<std::string_view, 14> others{"TOCCATA_TUNING",
                                                  "TOCCATA_LEARN",
                                                  "TOCCATA_GUARD",
                                                  "TOCCATA_MODEL",
                                                  "TOCCATA_REPRODUCIBLE",
                                                  "TOCCATA_REPORT",
                                                  "TOCCATA_TOPOLOGY",
                                                  "TOCCATA_PLACEMENT",
                                                  "TOCCATA_DOCTOR",
                                                  "TOCCATA_BUILD",     // of the command line
                                                  "TOCCATA_PLATFORM",  // of simulations
                                                  "TOCCATA_TEST_UNSEEN_INIT",
                                                  "TOCCATA_REORDER",
                                                  "TOCCATA_REORDER_TOPOLOGIES"};

}  // namespace

std::string complaint_of_variable(std::string_view name) {
  if (!name.starts_with("TOCCATA_")) return "";
  std::vector<std::string_view> known(others.begin(), others.end());
  for (const Collective* collective : collectives()) known.push_back(collective->variable);
  const std::string_view meant = nearest(name, known);
  if (meant == name) return "";
  return std::string(name) + " is no setting of Toccata" +
         (meant.empty() ? "" : "; the nearest is " + std::string(meant));
}

}  // namespace toccata
