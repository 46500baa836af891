#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "choices/configuration.h"
#include "choices/topology_setting.h"
#include "deciding/rules.h"

namespace toccata {

// The settings from the environment and toccata.conf. All ranks in a process share them. They are
// read at the first call, and then stay constant.
class Settings : public Rules {
 public:
  // Never throws: if settings cannot be read, even for lack of memory, the library is switched off.
  static const Settings& get() { return mine(); }
  // Whether the settings were read.
  static bool were_read();

  // Whether the MPI library in this process belongs to the family for which we were built. If not,
  // nothing is requested, and the complaints contain the reason.
  bool is_our_mpi() const { return is_our_mpi_; }

  // Prints the complaints if `here` is true; only the first call has an effect. They include files
  // that cannot be written at the end of the run; this is tested now.
  void complain(bool here) const;

  // Whether reading the settings failed; all ranks then must switch the library off.
  bool failed() const { return failed_; }
  // From now on, we serve no calls, as if nothing were set.
  static void switch_off() { mine().become_nothing(); }

  // Whether anything is expected of the library: to serve calls, or to report them.
  bool do_anything() const { return chooses_ || reporting_; }
  // Whether we serve calls of a collective at all.
  bool concern(const Collective& collective) const {
    return reporting_ || (!asked_.empty() && asks_for(collective)) ||
           (reproducible_ && collective.reduces) || chooses(collective) || wants_nccl(collective);
  }
  // Whether NCCL or RCCL is requested (TOCCATA_ALLREDUCE=nccl); else the MPI library serves.
  bool wants_nccl(const Collective& collective) const {
    return wants_nccl_ && &collective == &allreduce;
  }
  // Whether all ranks must prepare in MPI_Init: for a requested algorithm, a tuning file, or
  // choices in the topology's file.
  bool ask_for_anything() const { return asks_ || has_files() || !around_slow_links_.empty(); }
  // Whether we serve any nonblocking or persistent calls.
  bool ask_for_requests() const { return ask_for_anything() || reproducible_ || chooses_; }
  // TOCCATA_NODE: how the ranks of a node exchange data. Each value also permits the earlier ones:
  // through shared memory, by copies from each other's own memory, and in place there (XPMEM).
  enum class Node : std::uint8_t { off, segment, automatic, xpmem };
  Node node() const { return node_; }
  // TOCCATA_DEVICE=direct: messages use the memory of a GPU directly.
  bool sends_from_devices() const { return sends_from_devices_; }
  // TOCCATA_PROGRESS: whether a thread of its own advances open requests.
  bool wants_progress_thread() const { return wants_progress_thread_; }
  // Whether any request depends on the locations of ranks.
  bool go_by_places() const { return by_places_ || has_files() || !around_slow_links_.empty(); }

  // TOCCATA_PLACED, of `toccata run --place`: see complaint_of_place.
  const std::string& planned_hosts() const { return planned_hosts_; }

  // The file that contains tuning().
  const std::string& tuning_file() const { return tuning_file_; }
  // The file for the results of this run; empty for none.
  const std::string& learns_to() const { return learns_to_; }
  const Configuration& configuration() const { return configuration_; }
  const TopologySetting& topology() const { return topology_; }
  // TOCCATA_REPORT: whether to count and time calls; and the file for the report, if there is one.
  bool reporting() const { return reporting_; }
  const std::string& report_file() const { return report_file_; }

  // The part that must be equal on all ranks, as lines "NAME=value": the settings, and the contents
  // of the named files.
  const std::string& text() const { return text_; }
  // Adds the collectives that another tool hides from this library, separated by blanks.
  static void add_hidden_collectives(const std::string& names) {
    mine().note("hidden collectives", names);
  }
  std::string files_text() const;
  // The digest of settings and files.
  std::uint64_t digest() const;

  // Sends rank 0's tuning file, learned results and choices of the topology's file to all ranks.
  // Each rank could otherwise read different contents: files may be on the local disks of nodes,
  // change meanwhile, or depend on the kind of node. Call this on all ranks in MPI_Init, before any
  // other request.
  static void adopt_files(MPI_Comm comm);

  // Whether TOCCATA_<COLLECTIVE> names files of schedules ("file:mine.json"). Rank 0 reads them for
  // all ranks of `comm`, and the ranks compare the received contents. Until then, these settings
  // request nothing. Call this on all ranks in MPI_Init, before any other request.
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

  bool is_switched_on();
  void read_choices();
  void read_choice(Asked& asked, const std::string& value);
  void read_sums();
  void read_tuning();
  void learn_to(const std::string& file);
  void read_model(const std::string& file);
  void read_rules();
  std::vector<std::string> site_folders() const;
  std::string find_tuning();
  void read_topology();
  void adopt_topology(std::string rows);
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
  TopologySetting topology_;
  std::string planned_hosts_;
  std::string topology_rows_;  // choices_in_topology()
  Node node_ = Node::off;
  bool wants_nccl_ = false;
  bool sends_from_devices_ = false;
  bool wants_progress_thread_ = false;
  std::vector<std::string> complaints_;  // a line each
  std::string text_;
};

// Whether this is rank 0 of its job, according to the launcher's environment; true if unknown.
bool is_first_rank();

// MPI_Get_processor_name
std::string processor_name();

// hwloc's description of this node, such as "socket:2 core:8"; "" if there is none.
std::string node_text();

}  // namespace toccata
