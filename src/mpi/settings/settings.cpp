#include "mpi/settings/settings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <unistd.h>

#include "choices/spelling.h"
#include "choices/variables.h"
#include "costs/assumed_models.h"
#include "costs/model_file.h"
#include "mpi/libraries/library.h"
#include "mpi/settings/family.h"
#include "tables/schedule_file.h"
#include "text/digest.h"
#include "toccata/toccata.h"
#include "topology/environment.h"
#include "topology/error.h"
#include "topology/file.h"
#include "topology/hwloc.h"
#include "topology/synthetic.h"
#include "topology/words.h"

namespace toccata {

namespace {

constexpr std::string_view file_prefix = "file:";

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// The program may change its working directory before the end.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::string found = std::filesystem::absolute(path, error).string();
  return error ? path : found;
}

}  // namespace

std::string Settings::value(const char* name, const char* instead) {
  const std::string value = configuration_.value(name);
  if (const std::string complaint = complaint_of_value(name, value); !complaint.empty())
    complaints_.push_back(std::string(name) + "=" + value + ": " + complaint + ". Using " + name +
                          "=" + instead + ".");
  return value;
}

std::string processor_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return std::string(name, static_cast<std::size_t>(length));
}

std::string node_text() {
  try {
    return text(NodeTopology::here().machine());
  } catch (const TopologyError&) {
    return "";
  }
}

bool is_first_rank() {
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const std::string value = variable(rank); !value.empty()) return value == "0";
  return true;
}

namespace {

std::atomic<bool> settings_were_read = false;  // once per process, like the environment

}  // namespace

bool Settings::were_read() { return settings_were_read; }

Settings& Settings::mine() {
  static Settings settings;
  return settings;
}

// After an unforeseen setting, or without memory, the constructor prints one line and never ends
// the program.
Settings::Settings() noexcept {
  settings_were_read = true;
  try {
    read();
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// Prints at once, because storing the line for later may fail as well.
void Settings::fail(const char* why) {
  become_nothing();
  failed_ = true;
  std::fprintf(stderr, "toccata: Toccata is off, because it cannot read its settings: %s\n", why);
}

void Settings::become_nothing() {
  asked_.clear();
  learns_ = wants_bounds_ = chooses_ = asks_ = by_places_ = reproducible_ = reporting_ =
      wants_nccl_ = wants_progress_thread_ = false;
  node_ = Node::off;
  topology_ = {};
  reorder_ = Reorder::off;
  tuning_.points.clear();
  learned_.points.clear();
  adopt_topology("");
  site_table_.reset();
  learns_to_.clear();
}

void Settings::read() {
  configuration_ = Configuration(configuration_files(own_path()));
  know_collectives();
  std::string complaint;
  is_our_mpi_ = toccata::is_our_mpi(complaint);
  if (!is_our_mpi_) {
    complaints_.push_back(complaint);
    return;
  }
  library_ = mpi_library_of(library_text());
  note("Toccata", TOCCATA_VERSION);
  planned_hosts_ = variable("TOCCATA_PLACED");
  complaints_.insert(complaints_.end(), configuration_.complaints().begin(),
                     configuration_.complaints().end());
  model_ = usual_model();
  const std::string report = value("TOCCATA_REPORT", "1");
  if (report.ends_with(".json")) report_file_ = absolute(report);
  wants_bounds_ = !report_file_.empty();
  reporting_ = !report.empty() && !switches_off(report);
  if (is_switched_on()) {
    read_choices();
    read_sums();
    read_tuning();
    read_rules();
    read_topology();
  }
}

// TOCCATA=off leaves all calls to the MPI library, regardless of other settings.
bool Settings::is_switched_on() {
  const std::string mode = value("TOCCATA", "off");
  chooses_ = complaint_of_value("TOCCATA", mode).empty() && !switches_off(mode);
  const std::size_t colon = std::min(mode.find(':'), mode.size());
  note("TOCCATA", mode.substr(0, colon));  // a rank's file may be in its own folder
  if (mode == "model") guarding_ = Guarding::off;
  if (chooses_ && mode.starts_with("learn"))
    learn_to(mode.substr(std::min(colon + 1, mode.size())));
  return chooses_;
}

void Settings::read_sums() {
  const std::string sums = value("TOCCATA_SUMS", "fixed");
  note("TOCCATA_SUMS", sums);
  reproducible_ = sums == "reproducible";
  asks_ = asks_ || reproducible_;
  learns_sums_ = sums == "learn";
  if (sums == "all" && guarding_ == Guarding::on) guarding_ = Guarding::all;
}

// "": a file of the user for this MPI and kind of node, as clusters may share a home.
void Settings::learn_to(const std::string& file) {
  learns_to_ = file.empty() ? file : absolute(file);
  if (!file.empty()) return;
  const std::string state = variable("XDG_STATE_HOME");
  std::string node = node_text();
  std::erase(node, ':');
  std::ranges::replace(node, ' ', '-');
  learns_to_ = (state.starts_with('/') ? state : variable("HOME") + "/.local/state") +
               "/toccata/learned-" + std::string(our_mpi.family) + "-" + node + ".json";
}

void Settings::read_choices() {
  const std::string node = value("TOCCATA_NODE", "auto");
  node_ = switches_off(node)  ? Node::off
          : node == "segment" ? Node::segment
          : node == "xpmem"   ? Node::xpmem
                              : Node::automatic;
  note("TOCCATA_NODE", node_ == Node::off ? "off" : node_ == Node::automatic ? "" : node);
  const std::string device = value("TOCCATA_DEVICE", "staged");
  sends_from_devices_ = device == "direct";
  note("TOCCATA_DEVICE", sends_from_devices_ ? device : "");
  wants_progress_thread_ = value("TOCCATA_PROGRESS", "calls") == "thread";
  for (Asked& each : asked_) {
    const std::string name(each.collective->variable);
    const std::string value = configuration_.value(name);
    note(name, value);
    if (value.empty() || value == "auto") continue;
    each.is_set = true;
    if (value == "nccl" && each.collective == &allreduce) {
      asks_ = wants_nccl_ = true;
      continue;
    }
    if (value.find(file_prefix) == std::string::npos) {
      read_choice(each, value);
    } else {  // read by rank 0, for all
      named_.emplace_back(each.collective, value);
      asks_ = names_schedules_ = true;
    }
  }
}

void Settings::read_choice(Asked& asked, const std::string& value) {
  try {
    asked.choice = parse_sized_choice(*asked.collective, value);
  } catch (const ChoiceError& error) {
    complaints_.push_back(std::string(asked.collective->variable) + "=" + value + ": " +
                          error.what() + ". Using the MPI library.");
  }
  asks_ = asks_ || !asked.choice.native();
  for (const auto& [most, choice] : asked.choice.ranges())
    by_places_ = by_places_ || (!choice.native() &&
                                (choice.algorithm->by_placement || choice.algorithm->by_grid ||
                                 choice.reorder != Reorder::off));
}

namespace {

// For all ranks: the contents of a file that rank 0 has read, or the reason for its failure.
struct Sent {
  bool read = false;
  std::string text;
};

Sent read_for_all(const std::string& path, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  Sent sent;
  if (rank == 0) try {
      sent.text = schedule_file::read(path);
      sent.read = true;
    } catch (const std::exception& error) {
      sent.text = error.what();
    }
  std::array<std::int64_t, 2> heading{sent.read, static_cast<std::int64_t>(sent.text.size())};
  PMPI_Bcast(heading.data(), 2, MPI_INT64_T, 0, comm);
  sent.read = heading[0] != 0;
  int room = 1;
  try {
    sent.text.resize(static_cast<std::size_t>(heading[1]));
  } catch (const std::bad_alloc&) {
    room = 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm);
  if (room == 0) return {false, path + ": a rank has too little memory to read it"};
  PMPI_Bcast(sent.text.data(), static_cast<int>(sent.text.size()), MPI_CHAR, 0, comm);
  return sent;
}

// Whether all ranks have the same size and digest, and all can use their text.
bool all_alike(const std::string& text, bool usable, MPI_Comm comm) {
  const std::uint64_t of_text = digest(text);
  const std::array<std::uint64_t, 5> mine{text.size(), ~std::uint64_t{text.size()}, of_text,
                                          ~of_text, usable ? 0u : 1u};
  std::array<std::uint64_t, 5> most{};
  PMPI_Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX,
                 comm);
  return most[0] == ~most[1] && most[2] == ~most[3] && most[4] == 0;
}

// The files that a value names: "file:small.json<=4K, file:large.json:travel=packed".
std::vector<std::string> files_in(const std::string& value) {
  std::vector<std::string> result;
  for (std::size_t at = value.find(file_prefix); at != std::string::npos;
       at = value.find(file_prefix, at)) {
    at += file_prefix.size();
    const std::size_t end = std::min(value.find_first_of(":,<", at), value.size());
    result.emplace_back(trimmed(std::string_view(value).substr(at, end - at)));
    at = end;
  }
  return result;
}

}  // namespace

// All ranks have the same values, and read the files in the same order.
void Settings::adopt_schedules(MPI_Comm comm) {
  Settings& settings = mine();
  for (const auto& [collective, value] : settings.named_) {
    bool usable = true;
    for (const std::string& path : files_in(value)) {
      const Sent sent = read_for_all(path, comm);
      std::string wrong = sent.read ? "" : sent.text;
      if (sent.read) try {
          schedule_file::add(sent.text, std::string(file_prefix) + path);
        } catch (const std::exception& error) {
          wrong = error.what();
        }
      if (!all_alike(sent.text, wrong.empty(), comm) && wrong.empty())
        wrong = path + ": is not usable on all ranks";
      if (!wrong.empty())
        settings.complaints_.push_back(std::string(collective->variable) + "=" + value + ": " +
                                       wrong + ". Using the MPI library.");
      usable = usable && wrong.empty();
    }
    if (!usable) continue;
    for (Asked& each : settings.asked_)
      if (each.collective == collective) settings.read_choice(each, value);
  }
}

void Settings::read_tuning() {
  const std::string named = configuration_.value("TOCCATA_TUNING");
  bool is_named = false;
  for (const std::string_view each : split(named, ',')) {
    const std::string file(trimmed(each));
    if (file.empty()) continue;
    const bool is_off = switches_off(file);
    if (!is_off && is_model(file)) {
      read_model(file);
      continue;
    }
    is_named = true;
    if (!is_off) tuning_file_ = file;
  }
  if (!is_named) tuning_file_ = find_tuning();
  if (!tuning_file_.empty()) tuning_ = tuning_of("TOCCATA_TUNING", tuning_file_);
  std::error_code error;
  if (!learns_to_.empty() && std::filesystem::exists(learns_to_, error)) read_learned();
  learns_ = !learns_to_.empty();
}

void Settings::read_model(const std::string& file) {
  try {
    model_ = toccata::read_model(file);
    note("model of TOCCATA_TUNING", std::to_string(toccata::digest(json(model_))));
  } catch (const ModelError& error) {
    complaints_.push_back("TOCCATA_TUNING: " + std::string(error.what()) +
                          ". Using the default model.");
  }
}

// The run would replace the file at its end. So learning does not use a file that is not ours, or
// that belongs to other nodes. An empty file has nothing to lose.
void Settings::read_learned() {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(learns_to_, error);
  if (is_file && std::filesystem::file_size(learns_to_, error) == 0) return;
  const std::size_t complaints = complaints_.size();
  const auto tuning = tuning_of("TOCCATA=learn", learns_to_);
  const bool is_ours = complaints_.size() == complaints || !tuning.mpi.empty();
  const std::string node = node_text();
  if (is_ours && (tuning.points.empty() || tuning.machine == node)) {
    learned_ = tuning;
    return;
  }
  if (is_ours)
    complaints_.push_back("TOCCATA=learn: " + learns_to_ + ": its results are from nodes of '" +
                          tuning.machine + "', but this node is '" + node +
                          "'. Ignoring the file.");
  complaints_.back() +=
      " The file stays unchanged. To save results, set TOCCATA=learn:FILE with another file.";
  learns_to_.clear();
}

std::string Settings::files_text() const {
  std::string text;
  for (const auto& [name, file] :
       {std::pair("tuning file", &tuning_), std::pair("results of earlier runs", &learned_)})
    if (!file->points.empty())
      text += std::string(name) + "=" + std::to_string(toccata::digest(json(*file))) + "\n";
  if (!topology_rows_.empty())
    text += "choices of TOCCATA_TOPOLOGY=" + std::to_string(toccata::digest(topology_rows_)) + "\n";
  return text;
}

std::uint64_t Settings::digest() const { return toccata::digest(text_ + files_text()); }

void Settings::adopt_files(MPI_Comm comm) {
  Settings& settings = mine();
  for (Tuning* const each : {&settings.tuning_, &settings.learned_}) {
    std::string text = each->points.empty() ? "" : json(*each);
    auto length = static_cast<int>(text.size());
    if (PMPI_Bcast(&length, 1, MPI_INT, 0, comm) != MPI_SUCCESS) return;
    text.resize(length);
    if (PMPI_Bcast(text.data(), length, MPI_CHAR, 0, comm) != MPI_SUCCESS) return;
    std::string unknown;
    *each = length == 0 ? Tuning() : parse_tuning(text, "rank 0's", unknown);
  }
  std::string rows = settings.topology_rows_;
  auto length = static_cast<int>(rows.size());
  if (PMPI_Bcast(&length, 1, MPI_INT, 0, comm) != MPI_SUCCESS) return;
  rows.resize(length);
  if (PMPI_Bcast(rows.data(), length, MPI_CHAR, 0, comm) != MPI_SUCCESS) return;
  settings.adopt_topology(std::move(rows));
}

// Beside tuning files, a file named like a shipped one replaces it: open_mpi.rules.
void Settings::read_rules() {
  if (shipped_table() == nullptr) return;
  const auto name = std::filesystem::path(shipped_table()->file()).filename();
  for (const std::string& folder : site_folders()) {
    const std::string path = std::filesystem::path(folder) / name;
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) continue;
    try {
      site_table_ = read_rules_file(path);
      note("file of rules", std::to_string(toccata::digest(site_table_->text())));
      return;
    } catch (const RulesError& error) {
      complaints_.push_back(std::string(error.what()) + ". Ignoring the file.");
    }
  }
}

// The folders of the user and the site that exist.
std::vector<std::string> Settings::site_folders() const {
  std::vector<std::string> folders = tuning_folders(own_path());
  std::erase_if(folders, [](const std::string& each) {
    std::error_code error;
    return !std::filesystem::is_directory(each, error);
  });
  return folders;
}

// Needs the kind of this node only if there are files.
std::string Settings::find_tuning() {
  const std::vector<std::string> folders = site_folders();
  if (folders.empty()) return "";
  std::vector<std::string> complaints;
  const std::string found =
      toccata::find_tuning(folders, library_version(), node_text(), complaints);
  for (const std::string& each : complaints) complaints_.push_back(each + ". Ignoring the file.");
  return found;
}

// The ranks compare machines and placements later, as each may read another file.
void Settings::read_topology() {
  const std::string text = configuration_.value("TOCCATA_TOPOLOGY");
  try {
    topology_ = parse_topology_setting(text);
    adopt_topology(choices_in_topology(topology_.machine));
  } catch (const ChoiceError& error) {
    complaints_.push_back("TOCCATA_TOPOLOGY=" + text + ": " + error.what() +
                          ". Using the discovered topology.");
  }
  reorder_ = topology_.reorder;
  note("TOCCATA_TOPOLOGY", reorders_text(topology_));
  asks_ = asks_ || topology_.reorders_topologies;
  by_places_ = by_places_ || (asks_ && reorder_ != Reorder::off);
}

void Settings::adopt_topology(std::string rows) {
  topology_rows_ = std::move(rows);
  try {
    around_slow_links_ = parse_topology_choices(topology_rows_);
  } catch (const ChoiceError& error) {
    around_slow_links_.clear();
    complaints_.push_back(topology_.machine + ": " + error.what() + ". Ignoring these choices.");
  }
}

Tuning Settings::tuning_of(const std::string& name, const std::string& path) {
  try {
    std::string unknown;
    Tuning tuning = toccata::read_tuning(path, unknown);
    if (!unknown.empty()) complaints_.push_back(name + ": " + unknown + ". Ignoring such points.");
    if (!tuning.mpi.empty() && !library_version().starts_with(tuning.mpi))
      throw TuningError(path + ": is for " + tuning.mpi + ", but this is " + library_version() +
                        (name == "TOCCATA_TUNING" ? "; run `toccata tune` again" : ""));
    return tuning;
  } catch (const TuningError& error) {
    complaints_.push_back(name + ": " + error.what() + ". Ignoring the file.");
    return {};
  }
}

void Settings::note(const std::string& name, const std::string& value) {
  if (!value.empty()) text_ += name + "=" + value + "\n";
}

void Settings::complain(bool here) const {
  static std::atomic_flag did;
  if (!here || did.test_and_set()) return;
  for (const std::string& each : complaints_) std::fprintf(stderr, "toccata: %s\n", each.c_str());
  complain_of_outputs();
}

// Tests this at the beginning, because the end of a long run is too late.
void Settings::complain_of_outputs() const {
  const auto look_at = [](const char* variable, const std::string& path, bool makes_folders,
                          const char* loss) {
    if (path.empty()) return;
    if (const std::string why = why_not_writable(path, makes_folders); !why.empty())
      std::fprintf(stderr, "toccata: %s: %s. %s\n", variable, why.c_str(), loss);
  };
  look_at("TOCCATA=learn", learns_to_, true, "The next run cannot use the results of this run.");
  look_at("TOCCATA_REPORT", report_file_, false, "There will be no report.");
}

}  // namespace toccata
