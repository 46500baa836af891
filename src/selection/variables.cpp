#include "selection/variables.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "collectives/collective.h"
#include "selection/choice.h"
#include "selection/spelling.h"

namespace toccata {

namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array known{
    Variable{"TOCCATA", "auto or off", "off leaves everything to the MPI library"},
    Variable{"TOCCATA_TUNING", "FILE or off",
             "what `toccata tune` found decides, from the first call on; the MPI library's own is "
             "tried later; off takes no file that was installed either"},
    Variable{"TOCCATA_LEARN", "auto, off or FILE",
             "keeps what this run found for the next one; auto is "
             "~/.local/state/toccata/learned-MPI.json"},
    Variable{"TOCCATA_GUARD", "on, off or all",
             "off makes no trials: tuning file or model decide; all tries also where results are "
             "rounded, so that a program may give other bits when it runs again"},
    Variable{"TOCCATA_MODEL", "FILE",
             "the model that names algorithms, as `toccata calibrate` writes it"},
    Variable{"TOCCATA_NODE", "auto or off",
             "ranks of one node share memory; off uses the MPI library's messages there, too"},
    Variable{"TOCCATA_REPRODUCIBLE", "0 or 1",
             "reductions give the same bits on any placement, for any root and length"},
    Variable{"TOCCATA_REPORT", "0, 1 or FILE.json",
             "at MPI_Finalize, rank 0 says what ran, why, and what that gave; a file gets all that "
             "was counted and measured, for `toccata explain`"},
    Variable{"TOCCATA_TOPOLOGY", "FILE or MACHINE",
             "a file adds the switches: Slurm's topology.conf, what ibnetdiscover prints, or what "
             "`toccata topo --save` wrote; a machine, as \"node:4 socket:2 core:8\", is pretended"},
    Variable{"TOCCATA_PLACEMENT", "NAME",
             "where the ranks of MPI_COMM_WORLD are on TOCCATA_TOPOLOGY: sequential, cyclic, "
             "block-scatter, cyclic-scatter, random:SEED, or a list of cores"},
    Variable{"TOCCATA_REORDER", "off, auto, straight, exchange or shuffle",
             "lets other ranks play an algorithm's ranks where that wins by a model"},
    Variable{"TOCCATA_REORDER_TOPOLOGIES", "0 or 1",
             "MPI_Cart_create and its like reorder ranks where the program allows it"},
    Variable{"TOCCATA_DOCTOR", "", ""},
    Variable{"TOCCATA_BUILD", "", ""},     // of the command line
    Variable{"TOCCATA_PLATFORM", "", ""},  // of simulations
    Variable{"TOCCATA_TEST_UNSEEN_INIT", "", ""},
};

}  // namespace

std::span<const Variable> variables() { return known; }

std::string complaint_of_variable(std::string_view name) {
  if (!name.starts_with("TOCCATA_")) return "";
  std::vector<std::string_view> names;
  for (const Variable& each : known) names.push_back(each.name);
  for (const Collective* collective : collectives()) names.push_back(collective->variable);
  const std::string_view meant = nearest(name, names);
  if (meant == name) return "";
  return std::string(name) + " is no setting of Toccata" +
         (meant.empty() ? "" : "; the nearest is " + std::string(meant));
}

std::string complaint_of_value(std::string_view name, std::string_view value) {
  const bool is_switch = switches_off(value) || switches_on(value);
  const auto fits = [&] {
    if (value.empty()) return true;
    if (one_of(name, {"TOCCATA_REPRODUCIBLE", "TOCCATA_REORDER_TOPOLOGIES"})) return is_switch;
    if (name == "TOCCATA_REPORT") return is_switch || value.ends_with(".json");
    if (one_of(name, {"TOCCATA", "TOCCATA_NODE"})) return is_switch || value == "auto";
    if (name == "TOCCATA_GUARD") return is_switch || value == "all";
    return true;
  };
  if (name == "TOCCATA_REORDER" && !value.empty()) try {
      parse_reorder(value);
    } catch (const ChoiceError& error) {
      return error.what();
    }
  if (fits()) return "";
  const auto variable = std::ranges::find(known, name, &Variable::name);
  return "it takes " + std::string(variable->values);
}

}  // namespace toccata
