#include "choices/variables.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "choices/choice.h"
#include "choices/old_settings.h"
#include "choices/spelling.h"
#include "collectives/collective.h"

namespace toccata {

namespace {

constexpr std::array known{
    Variable{"TOCCATA", "auto, learn, learn:FILE, model or off", "auto", "", "learn",
             "chooses algorithms automatically, compares them with the native ones during the run, "
             "and keeps the fastest; learn also keeps the results for the next run, in FILE or in "
             "~/.local/state/toccata/learned-MPI-NODE.json; model makes no trials: it "
             "chooses by the tuning file, by a fixed rule inside one node, or by a cost model of "
             "messages if this model predicts a gain; off leaves every call to the MPI library"},
    Variable{
        "TOCCATA_SUMS", "fixed, learn, all or reproducible", "fixed", "", "all",
        "selects the source of the algorithm for floating-point sums, which determines their "
        "bits; fixed: only fixed rules, the tuning file, or with TOCCATA=model the cost model, so "
        "that every run with the same files and placement gives the same bits; learn: also "
        "results of earlier runs, so that the next run may give other bits; all: also trials, so "
        "that any two runs may differ; reproducible: only algorithms that give the same bits for "
        "any placement, root and length"},
    Variable{"TOCCATA_TUNING", "FILE or off", "an installed file for this MPI and kind of node", "",
             "/opt/toccata/etc/tuning-openmpi.json",
             "uses the results of `toccata tune` from the first call on, and compares them with "
             "the native algorithm later; with a model of `toccata calibrate`, this model "
             "proposes algorithms; several FILEs are separated by commas; off ignores installed "
             "files as well"},
    Variable{"TOCCATA_NODE", "auto, xpmem, segment or off", "auto", "", "off",
             "exchanges data between ranks of one node through shared memory, and reads and writes "
             "long blocks directly in the memory of the other rank if the system permits it; xpmem "
             "also uses XPMEM, if the system has it (untested with the kernel module); "
             "segment uses shared memory only; off uses messages of the MPI library"},
    Variable{"TOCCATA_DEVICE", "staged or direct", "staged", "", "direct",
             "sends buffers in GPU memory through pinned host memory (staged), or lets an MPI "
             "library that accepts such memory send them (direct; untested on GPUs)"},
    Variable{
        "TOCCATA_PROGRESS", "calls or thread", "calls", "", "thread",
        "advances nonblocking and persistent collectives inside the program's MPI calls; "
        "thread also advances them while the program computes, and needs a spare core per rank and "
        "MPI_THREAD_MULTIPLE (Open MPI only)"},
    Variable{
        "TOCCATA_TOPOLOGY", "FILE, MACHINE, reorder:HOW or weights:LIST",
        "the machine that hwloc finds", "number per object of the next higher level",
        "node:4 socket:2 core:8 placement:cyclic",
        "combines values that are separated by spaces. A FILE adds the switches: "
        "Slurm's topology.conf, the output of `scontrol show "
        "topology`, ibnetdiscover, `toccata topo --save` or `toccata check --save`, or hwloc's "
        "XML. A MACHINE such as \"node:4 socket:2 core:8\" replaces the discovered machine; "
        "placement:NAME after it states where the ranks of MPI_COMM_WORLD run: sequential, "
        "cyclic, block-scatter, cyclic-scatter, random:SEED, or a list of cores. reorder:auto "
        "exchanges the roles of ranks in an algorithm if a model predicts a gain; reorder:straight "
        "(blocks arrive in place), reorder:exchange (inputs move first) and reorder:shuffle (a "
        "copy at the end restores the order) always exchange them; reorder:topologies lets "
        "MPI_Cart_create and the other topology functions reorder ranks if the program allows it; "
        "weights:1,4,1 gives MPI_Cart_create the "
        "relative bytes per neighbour in each dimension of a grid of three dimensions (one "
        "weights:LIST per number of dimensions)"},
    Variable{"TOCCATA_REPORT", "0, 1 or FILE.json", "0", "", "run.json",
             "makes rank 0 print at MPI_Finalize which algorithms ran, why, and the gain; a file "
             "receives all counts and times, for `toccata explain`"},
    Variable{"TOCCATA_DOCTOR"},
    Variable{"TOCCATA_BUILD"},     // of the command line
    Variable{"TOCCATA_PLATFORM"},  // of simulations
    Variable{"TOCCATA_PLACED"},    // by toccata run --place
    Variable{"TOCCATA_RECORD"},    // of libtoccata_record.so
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

}  // namespace

std::span<const Variable> variables() { return known; }

std::string complaint_of_variable(std::string_view name) {
  if (!name.starts_with("TOCCATA_")) return "";
  std::vector<std::string_view> names;
  for (const Variable& each : known) names.push_back(each.name);
  for (const Collective* collective : collectives()) names.push_back(collective->variable);
  for (const OldSetting& old : old_settings()) names.push_back(old.name);
  const std::string_view meant = nearest(name, names);
  if (meant == name) return "";
  return "unknown setting " + std::string(name) +
         (meant.empty() ? "; see docs/settings.md" : "; did you mean " + std::string(meant) + "?");
}

std::string complaint_of_value(std::string_view name, std::string_view value) {
  const auto variable = std::ranges::find(known, name, &Variable::name);
  if (variable == known.end() || variable->values.empty() || value.empty()) return "";
  for (const std::string& word : words_of(variable->values))
    if (fits(value, word)) return "";
  return "expected " + std::string(variable->values);
}

}  // namespace toccata
