#include "choices/variables.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "choices/spelling.h"
#include "collectives/collective.h"

namespace toccata {

namespace {

constexpr std::array known{
    Variable{"TOCCATA", "auto or off", "auto", "", "off",
             "chooses algorithms automatically; off leaves every call to the MPI library"},
    Variable{"TOCCATA_TUNING", "FILE or off", "an installed file for this MPI and kind of node", "",
             "/opt/toccata/etc/tuning-openmpi.json",
             "uses the results of `toccata tune` from the first call on, and compares them with "
             "the native algorithm later; off ignores installed files as well"},
    Variable{"TOCCATA_LEARN", "auto, sums, off or FILE", "off", "", "auto",
             "keeps the results of this run for the next run, in FILE or in "
             "~/.local/state/toccata/learned-MPI.json; sums and FILE include floating-point sums, "
             "so the next run may give different bits"},
    Variable{"TOCCATA_GUARD", "on, off or all", "on", "", "all",
             "compares algorithms with the native one during the run, and keeps the fastest; off "
             "makes no trials: the tuning file decides, or the model, if it predicts a gain; all "
             "includes floating-point sums, so that two runs may give different bits"},
    Variable{"TOCCATA_MODEL", "FILE", "a model of a typical cluster", "", "./here.json",
             "proposes algorithms with this model, a file that `toccata calibrate` writes"},
    Variable{
        "TOCCATA_NODE", "auto, copies, segment or off", "auto", "", "off",
        "exchanges data between ranks of one node through shared memory, and reads and writes "
        "long blocks directly in the memory of the other rank if the system permits it; copies "
        "is like auto, but does not use XPMEM; segment uses shared memory only; off uses "
        "messages of the MPI library"},
    Variable{"TOCCATA_DEVICE", "auto, staged or direct", "auto", "", "staged",
             "sends buffers in GPU memory through pinned host memory (staged), or lets the MPI "
             "library send them (direct); auto is direct if the MPI library reports support"},
    Variable{"TOCCATA_PROGRESS", "calls or thread", "calls", "", "thread",
             "advances nonblocking and persistent collectives inside the program's MPI calls; "
             "thread also advances them while the program computes, and needs a core per rank and "
             "MPI_THREAD_MULTIPLE (Open MPI only)"},
    Variable{"TOCCATA_REPRODUCIBLE", "0 or 1", "0", "", "1",
             "makes reductions give the same bits for any placement, root and length"},
    Variable{"TOCCATA_REPORT", "0, 1 or FILE.json", "0", "", "run.json",
             "makes rank 0 print at MPI_Finalize which algorithms ran, why, and the gain; a file "
             "receives all counts and times, for `toccata explain`"},
    Variable{"TOCCATA_TOPOLOGY", "FILE or MACHINE", "what hwloc finds", "children per level",
             "node:4 socket:2 core:8",
             "adds the switches from a file: Slurm's topology.conf, the output of `scontrol show "
             "topology`, ibnetdiscover or `toccata topo --save`; a MACHINE such as \"node:4 "
             "socket:2 core:8\" "
             "replaces the discovered machine"},
    Variable{"TOCCATA_PLACEMENT", "NAME", "sequential", "core numbers, in a list", "cyclic",
             "places the ranks of MPI_COMM_WORLD on TOCCATA_TOPOLOGY: sequential, cyclic, "
             "block-scatter, cyclic-scatter, random:SEED, or a list of cores"},
    Variable{"TOCCATA_REORDER", "off, auto, straight, exchange or shuffle", "off", "", "auto",
             "exchanges the roles of ranks in an algorithm; auto does so if a model predicts a "
             "gain, the others always"},
    Variable{"TOCCATA_REORDER_TOPOLOGIES", "0 or 1", "0", "", "1",
             "lets MPI_Cart_create and the other topology functions reorder ranks if the program "
             "allows it"},
    Variable{"TOCCATA_DOCTOR"},
    Variable{"TOCCATA_BUILD"},     // of the command line
    Variable{"TOCCATA_PLATFORM"},  // of simulations
    Variable{"TOCCATA_TEST_UNSEEN_INIT"},
};

// The words of a text such as "auto, staged or FILE".
std::vector<std::string> words_of(std::string_view values) {
  std::vector<std::string> words;
  std::istringstream in{std::string(values)};
  for (std::string word; in >> word;)
    if (word != "or") words.push_back(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
  return words;
}

// Whether `word` stands for a value. A word in capitals, such as FILE.json, stands for any value
// with its suffix; off and 0 for all values that switch off, and auto, on and 1 for all that switch
// on.
bool fits(std::string_view value, std::string_view word) {
  if ('A' <= word.front() && word.front() <= 'Z')
    return value.ends_with(word.substr(std::min(word.find('.'), word.size())));
  if (switches_off(word)) return switches_off(value);
  return value == word || ((word == "auto" || switches_on(word)) && switches_on(value));
}

}  // namespace

std::span<const Variable> variables() { return known; }

std::string complaint_of_variable(std::string_view name) {
  if (!name.starts_with("TOCCATA_")) return "";
  std::vector<std::string_view> names;
  for (const Variable& each : known) names.push_back(each.name);
  for (const Collective* collective : collectives()) names.push_back(collective->variable);
  const std::string_view meant = nearest(name, names);
  if (meant == name) return "";
  return "unknown setting " + std::string(name) +
         (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?");
}

std::string complaint_of_value(std::string_view name, std::string_view value) {
  const auto variable = std::ranges::find(known, name, &Variable::name);
  if (variable == known.end() || variable->values.empty() || value.empty()) return "";
  for (const std::string& word : words_of(variable->values))
    if (fits(value, word)) return "";
  return "expected " + std::string(variable->values);
}

}  // namespace toccata
