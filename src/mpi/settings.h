#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "deciding/rules.h"
#include "selection/configuration.h"

namespace toccata {

// What the environment and toccata.conf say, which is the same for all ranks of a process and does
// not change. Read at the first call.
class Settings : public Rules {
 public:
  // Throws nothing: settings that cannot be read, not even for lack of memory, switch the library
  // off.
  static const Settings& get() { return mine(); }
  // Whether they were read.
  static bool were_read();

  // Whether the MPI library in this process is of the kind that we were built for; where it is not,
  // nothing is requested, and the complaints say so.
  bool is_our_mpi() const { return is_our_mpi_; }

  // Prints what could not be understood, where that is `here`: the first time, and never again. So
  // are files that cannot be written at the end of the run, which are tried then.
  void complain(bool here) const;

  // Whether they could not be read; all ranks then have to switch the library off.
  bool failed() const { return failed_; }
  // From now on, nothing concerns us, as if nothing were set.
  static void switch_off() { mine().become_nothing(); }

  // Whether calls of a collective concern us at all.
  bool concern(const Collective& collective) const {
    return reporting_ || (!asked_.empty() && asks_for(collective)) ||
           (reproducible_ && collective.reduces) || chooses(collective);
  }
  // Whether all ranks have to prepare in MPI_Init: for a requested algorithm, or a tuning file.
  bool ask_for_anything() const { return asks_ || has_files(); }
  // Whether any nonblocking or persistent calls concern us.
  bool ask_for_requests() const { return ask_for_anything() || reproducible_ || chooses_; }
  // TOCCATA_NODE: whether the ranks of a node share memory.
  bool shares_memory() const { return shares_memory_; }
  // TOCCATA_PROGRESS: whether a thread of its own advances open requests.
  bool wants_progress_thread() const { return wants_progress_thread_; }
  // Whether one of those depends on where ranks run.
  bool go_by_places() const { return by_places_ || has_files(); }

  // The file of tuning().
  const std::string& tuning_file() const { return tuning_file_; }
  // Where to write what this run learns; empty for nowhere.
  const std::string& learns_to() const { return learns_to_; }
  const Configuration& configuration() const { return configuration_; }
  // TOCCATA_REORDER_TOPOLOGIES: whether MPI_Cart_create and its like do what reorder = 1 allows.
  bool reorder_topologies() const { return reorder_topologies_; }
  // TOCCATA_REPORT: whether to count and time calls; and the file that gets it all, if it is one.
  bool reporting() const { return reporting_; }
  const std::string& report_file() const { return report_file_; }

  // What has to be alike on all ranks, as "NAME=value" in lines: what is said to the library, and
  // what is in the files that it reads.
  const std::string& text() const { return text_; }
  std::string files_text() const;
  // Of both.
  std::uint64_t digest() const;

  // Rank 0's tuning file and learned results go to all ranks: files may lie on the disks of
  // nodes, change meanwhile, or be found by what a node is like. To be called on all ranks at
  // MPI_Init, before anything else asks.
  static void adopt_files(MPI_Comm comm);

  // Whether TOCCATA_<COLLECTIVE> names files of schedules ("file:mine.json"). Rank 0 reads them for
  // all ranks of `comm`, which compare what they have got; until then nothing is requested there.
  // To be called on all ranks at MPI_Init, before anything else asks.
  bool name_schedules() const { return names_schedules_; }
  static void adopt_schedules(MPI_Comm comm);

 private:
  Settings() noexcept;
  static Settings& mine();
  void read();
  void fail(const char* why);
  void become_nothing();
  void complain_of_outputs() const;
  // What it says, with a complaint where the word is none that it takes and `instead` is used.
  std::string value(const char* name, const char* instead);
  bool is_on(const char* name);
  void complain_of_names();

  bool is_switched_on();
  void read_choices();
  void read_choice(Asked& asked, const std::string& value);
  void read_guarding();
  void read_tuning();
  std::string find_tuning();
  void read_reordering();
  void read_learned();
  Tuning tuning_of(const std::string& name, const std::string& path);
  void note(const std::string& name, const std::string& value);

  Configuration configuration_;
  // Values of TOCCATA_<COLLECTIVE> that name files of schedules.
  std::vector<std::pair<const Collective*, std::string>> named_;
  std::string tuning_file_;
  std::string learns_to_;
  std::string report_file_;
  bool is_our_mpi_ = true;
  bool failed_ = false;
  bool asks_ = false, by_places_ = false, names_schedules_ = false;
  bool reporting_ = false;
  bool reorder_topologies_ = false;
  bool shares_memory_ = false;
  bool wants_progress_thread_ = false;
  std::vector<std::string> complaints_;  // a line each
  std::string text_;
};

// Whether this is rank 0 of its job, as the launcher says in the environment; true where it does
// not.
bool is_first_rank();

// Where ranks of `comm` differ in what has to be alike: one sentence that names it and a host of
// each kind, on rank 0; "" on the others. Collective, by waiting.
std::string difference_of_settings(MPI_Comm comm);

// FNV-1a
std::uint64_t digest(std::string_view text);

// MPI_Get_processor_name
std::string processor_name();

// What hwloc finds on this node, as "socket:2 core:8"; "" where it finds nothing.
std::string node_text();

}  // namespace toccata
