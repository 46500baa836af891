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

// The settings from the environment and toccata.conf: the same for all ranks of a process, and
// constant. Read at the first call.
class Settings : public Rules {
 public:
  // Never throws: if settings cannot be read, even for lack of memory, the library is switched off.
  static const Settings& get() { return mine(); }
  // Whether they were read.
  static bool were_read();

  // Whether the MPI library in this process is of the family for which we were built. If not,
  // nothing is requested, and the complaints contain the reason.
  bool is_our_mpi() const { return is_our_mpi_; }

  // If `here`, prints the complaints: the first time, and never again. They include files that
  // cannot be written at the end of the run, which is tested now.
  void complain(bool here) const;

  // Whether they could not be read; all ranks then must switch the library off.
  bool failed() const { return failed_; }
  // From now on, we serve no calls, as if nothing were set.
  static void switch_off() { mine().become_nothing(); }

  // Whether we serve calls of a collective at all.
  bool concern(const Collective& collective) const {
    return reporting_ || (!asked_.empty() && asks_for(collective)) ||
           (reproducible_ && collective.reduces) || chooses(collective) || wants_nccl(collective);
  }
  // Whether NCCL or RCCL is requested (TOCCATA_ALLREDUCE=nccl); else the MPI library serves.
  bool wants_nccl(const Collective& collective) const {
    return wants_nccl_ && &collective == &allreduce;
  }
  // Whether all ranks must prepare in MPI_Init: for a requested algorithm, or a tuning file.
  bool ask_for_anything() const { return asks_ || has_files(); }
  // Whether any nonblocking or persistent calls concern us.
  bool ask_for_requests() const { return ask_for_anything() || reproducible_ || chooses_; }
  // TOCCATA_NODE: whether the ranks of a node share memory.
  bool shares_memory() const { return shares_memory_; }
  // The same: whether they may also read each other's own memory.
  bool reads_directly() const { return reads_directly_; }
  // TOCCATA_DEVICE: whether messages use the memory of a GPU directly; `automatic` depends on the
  // support that the MPI library reports.
  enum class Devices : std::uint8_t { automatic, staged, direct };
  Devices devices() const { return devices_; }
  // TOCCATA_PROGRESS: whether a thread of its own advances open requests.
  bool wants_progress_thread() const { return wants_progress_thread_; }
  // Whether any of these depends on where ranks run.
  bool go_by_places() const { return by_places_ || has_files(); }

  // The file of tuning().
  const std::string& tuning_file() const { return tuning_file_; }
  // The file for the results of this run; empty for none.
  const std::string& learns_to() const { return learns_to_; }
  const Configuration& configuration() const { return configuration_; }
  // TOCCATA_REORDER_TOPOLOGIES: whether MPI_Cart_create and similar functions reorder ranks if
  // reorder = 1 allows it.
  bool reorder_topologies() const { return reorder_topologies_; }
  // TOCCATA_REPORT: whether to count and time calls; and the file for the report, if there is one.
  bool reporting() const { return reporting_; }
  const std::string& report_file() const { return report_file_; }

  // The part that must be equal on all ranks, as lines "NAME=value": the settings, and the contents
  // of the files that they name.
  const std::string& text() const { return text_; }
  std::string files_text() const;
  // The digest of both.
  std::uint64_t digest() const;

  // Sends rank 0's tuning file and learned results to all ranks: files may be on the local disks of
  // nodes, change meanwhile, or be selected by the kind of node. Call this on all ranks at
  // MPI_Init, before any other request.
  static void adopt_files(MPI_Comm comm);

  // Whether TOCCATA_<COLLECTIVE> names files of schedules ("file:mine.json"). Rank 0 reads them for
  // all ranks of `comm`, which compare what they have received; until then, these are not
  // requested. Call this on all ranks at MPI_Init, before any other request.
  bool name_schedules() const { return names_schedules_; }
  static void adopt_schedules(MPI_Comm comm);

 private:
  Settings() noexcept;
  static Settings& mine();
  void read();
  void fail(const char* why);
  void become_nothing();
  void complain_of_outputs() const;
  // The value of a setting; if it is invalid, adds a complaint and returns `instead`.
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
  bool shares_memory_ = false, reads_directly_ = false;
  bool wants_nccl_ = false;
  Devices devices_ = Devices::automatic;
  bool wants_progress_thread_ = false;
  std::vector<std::string> complaints_;  // a line each
  std::string text_;
};

// Whether this is rank 0 of its job, according to the launcher's environment; true if unknown.
bool is_first_rank();

// If ranks of `comm` differ in settings that must be equal: one sentence that names the setting and
// one host of each kind, on rank 0; "" on the others. Collective, by waiting.
std::string difference_of_settings(MPI_Comm comm);

// FNV-1a
std::uint64_t digest(std::string_view text);

// MPI_Get_processor_name
std::string processor_name();

// hwloc's description of this node, such as "socket:2 core:8"; "" if there is none.
std::string node_text();

}  // namespace toccata
