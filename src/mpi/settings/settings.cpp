#include "mpi/settings/settings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <numeric>
#include <sstream>
#include <unistd.h>

#include "choices/ranking.h"
#include "choices/spelling.h"
#include "choices/variables.h"
#include "costs/model_file.h"
#include "mpi/settings/family.h"
#include "tables/schedule_file.h"
#include "toccata/toccata.h"
#include "topology/environment.h"
#include "topology/error.h"
#include "topology/file.h"
#include "topology/hwloc.h"
#include "topology/synthetic.h"

namespace toccata {

namespace {

constexpr std::string_view file_prefix = "file:";

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

std::string Settings::value(const char* name, const char* instead) {
  const std::string value = configuration_.value(name);
  if (const std::string complaint = complaint_of_value(name, value); !complaint.empty())
    complaints_.push_back(std::string(name) + "=" + value + ": " + complaint + ". Using " +
                          instead + ".");
  return value;
}

bool Settings::is_on(const char* name) {
  const std::string word = value(name, "1");
  return !word.empty() && !switches_off(word);
}

void Settings::complain_of_names() {
  if (has_borrowed_rights()) return;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry(*each);
    std::string complaint = complaint_of_variable(entry.substr(0, entry.find('=')));
    if (!complaint.empty()) complaints_.push_back(std::move(complaint));
  }
}

std::uint64_t digest(std::string_view text) {
  std::uint64_t result = 0xcbf29ce484222325u;
  for (const char c : text) result = (result ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return result;
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
      reorder_topologies_ = wants_nccl_ = wants_progress_thread_ = false;
  node_ = Node::off;
  reorder_ = Reorder::off;
  tuning_.points.clear();
  learned_.points.clear();
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
  complain_of_names();
  complaints_.insert(complaints_.end(), configuration_.complaints().begin(),
                     configuration_.complaints().end());
  model_ = usual_model();
  const std::string report = configuration_.value("TOCCATA_REPORT");
  if (report.ends_with(".json")) report_file_ = report;
  wants_bounds_ = !report_file_.empty();
  reporting_ = wants_bounds_ || is_on("TOCCATA_REPORT");
  if (is_switched_on()) {
    read_choices();
    read_guarding();
    read_tuning();
    read_rules();
    read_reordering();
  }
}

// TOCCATA=off leaves all calls to the MPI library, regardless of other settings.
bool Settings::is_switched_on() {
  const std::string mode = value("TOCCATA", "native");
  chooses_ = mode.empty() || mode == "auto" || switches_on(mode);
  note("TOCCATA", mode);
  return chooses_;
}

void Settings::read_choices() {
  const std::string node = value("TOCCATA_NODE", "auto");
  node_ = switches_off(node)  ? Node::off
          : node == "segment" ? Node::segment
          : node == "copies"  ? Node::copies
                              : Node::automatic;
  note("TOCCATA_NODE", node_ == Node::off ? "off" : node_ == Node::automatic ? "" : node);
  const std::string device = value("TOCCATA_DEVICE", "auto");
  devices_ = device == "staged"   ? Devices::staged
             : device == "direct" ? Devices::direct
                                  : Devices::automatic;
  note("TOCCATA_DEVICE", device == "auto" ? "" : device);
  wants_progress_thread_ = value("TOCCATA_PROGRESS", "calls") == "thread";
  reproducible_ = is_on("TOCCATA_REPRODUCIBLE");
  note("TOCCATA_REPRODUCIBLE", reproducible_ ? "1" : "");
  asks_ = reproducible_;
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
                          error.what() + ". Using native.");
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
        wrong = path + ": ranks read different contents";
      if (!wrong.empty())
        settings.complaints_.push_back(std::string(collective->variable) + "=" + value + ": " +
                                       wrong + ". Using native.");
      usable = usable && wrong.empty();
    }
    if (!usable) continue;
    for (Asked& each : settings.asked_)
      if (each.collective == collective) settings.read_choice(each, value);
  }
}

void Settings::read_guarding() {
  const std::string guard = value("TOCCATA_GUARD", "on");
  note("TOCCATA_GUARD", guard);
  if (switches_off(guard))
    guarding_ = Guarding::off;
  else if (guard == "all")
    guarding_ = Guarding::all;
  const std::string model = configuration_.value("TOCCATA_MODEL");
  if (model.empty()) return;
  try {
    model_ = read_model(model);
    note("TOCCATA_MODEL", std::to_string(toccata::digest(json(model_))));
  } catch (const ModelError& error) {
    complaints_.push_back("TOCCATA_MODEL: " + std::string(error.what()) +
                          ". Using the default model.");
  }
}

void Settings::read_tuning() {
  tuning_file_ = configuration_.value("TOCCATA_TUNING");
  if (tuning_file_.empty()) tuning_file_ = find_tuning();
  if (switches_off(tuning_file_)) tuning_file_.clear();
  if (!tuning_file_.empty()) tuning_ = tuning_of("TOCCATA_TUNING", tuning_file_);
  learns_to_ = configuration_.value("TOCCATA_LEARN");
  if (switches_off(learns_to_)) learns_to_.clear();
  const bool has_default_file =
      learns_to_ == "auto" || learns_to_ == "sums" || switches_on(learns_to_);
  learns_sums_ = learns_to_ == "sums" || !(learns_to_.empty() || has_default_file);
  if (learns_sums_) note("TOCCATA_LEARN", "sums");
  if (has_default_file) {
    const std::string state = configuration_.value("XDG_STATE_HOME");
    std::string node = node_text();  // clusters may share a home
    std::erase(node, ':');
    std::ranges::replace(node, ' ', '-');
    learns_to_ = (state.starts_with('/') ? state : variable("HOME") + "/.local/state") +
                 "/toccata/learned-" + our_mpi() + "-" + node + ".json";
  }
  std::error_code error;
  if (!learns_to_.empty() && std::filesystem::exists(learns_to_, error)) read_learned();
  learns_ = !learns_to_.empty();
}

// The run would replace the file at its end. So learning does not use a file that is not ours, or
// that belongs to other nodes. An empty file has nothing to lose.
void Settings::read_learned() {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(learns_to_, error);
  if (is_file && std::filesystem::file_size(learns_to_, error) == 0) return;
  const std::size_t complaints = complaints_.size();
  const auto tuning = tuning_of("TOCCATA_LEARN", learns_to_);
  const bool is_ours = complaints_.size() == complaints || !tuning.mpi.empty();
  const std::string node = node_text();
  if (is_ours && (tuning.points.empty() || tuning.machine == node)) {
    learned_ = tuning;
    return;
  }
  if (is_ours)
    complaints_.push_back("TOCCATA_LEARN: " + learns_to_ + ": its results are from nodes of '" +
                          tuning.machine + "', but this node is '" + node +
                          "'. Ignoring the file.");
  complaints_.back() += " The file stays unchanged; name another file to learn.";
  learns_to_.clear();
}

std::string Settings::files_text() const {
  std::string text;
  for (const auto& [name, file] :
       {std::pair("TOCCATA_TUNING", &tuning_), std::pair("TOCCATA_LEARN", &learned_)})
    if (!file->points.empty())
      text += std::string(name) + "=" + std::to_string(toccata::digest(json(*file))) + "\n";
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
      note("rules", std::to_string(toccata::digest(site_table_->text())));
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

void Settings::read_reordering() {
  reorder_topologies_ = is_on("TOCCATA_REORDER_TOPOLOGIES");
  const std::string reorder = value("TOCCATA_REORDER", "off");
  if (!reorder.empty() && complaint_of_value("TOCCATA_REORDER", reorder).empty())
    reorder_ = parse_reorder(reorder);
  note("TOCCATA_REORDER", reorder_ == Reorder::off ? "" : reorder);
  note("TOCCATA_REORDER_TOPOLOGIES", reorder_topologies_ ? "1" : "");
  asks_ = asks_ || reorder_topologies_;
  by_places_ = by_places_ || (asks_ && reorder_ != Reorder::off);
}

Tuning Settings::tuning_of(const std::string& name, const std::string& path) {
  try {
    std::string unknown;
    Tuning tuning = toccata::read_tuning(path, unknown);
    if (!unknown.empty()) complaints_.push_back(name + ": " + unknown + ". Ignoring this point.");
    if (!tuning.mpi.empty() && !library_version().starts_with(tuning.mpi))
      throw TuningError(path + ": is for " + tuning.mpi + ", but this is " + library_version());
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
  look_at("TOCCATA_LEARN", learns_to_, true, "The next run cannot use the results of this run.");
  look_at("TOCCATA_REPORT", report_file_, false, "There will be no report.");
}

namespace {

using Lines = std::map<std::string, std::string>;

Lines lines_of(const std::string& text) {
  Lines result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find('=');
    result[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return result;
}

std::string value_in(const Lines& lines, const std::string& name) {
  const auto found = lines.find(name);
  return found == lines.end() ? "not set" : "'" + found->second + "'";
}

// The first name with different values; "" if there is none.
std::string first_difference(const Lines& one, const Lines& other) {
  for (const Lines& lines : {one, other})
    for (const auto& [name, value] : lines)
      if (name != "host" && value_in(one, name) != value_in(other, name)) return name;
  return "";
}

// A subject for a sentence about a difference, and the remedy.
std::pair<std::string, std::string> described(const std::string& name) {
  if (name.starts_with("TOCCATA"))
    return {name,
            "pass it to all ranks (Open MPI: mpirun -x " + name + ", MPICH: mpiexec -genvall)"};
  if (name.starts_with("hidden"))
    return {"the list of collectives that another tool hides from Toccata",
            "use that tool on all ranks or on none"};
  return {"the version of Toccata", "preload the same library on all ranks"};
}

}  // namespace

std::string difference_of_settings(MPI_Comm comm) {
  int rank = 0, p = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &p);
  const Settings& settings = Settings::get();
  const std::string mine =
      settings.text() + settings.files_text() + "host=" + processor_name() + "\n";
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(rank == 0 ? p : 0), places(lengths.size());
  // On a broken communicator there is nothing to compare.
  if (PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm) != MPI_SUCCESS)
    return "";
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  std::string all(rank == 0 ? places.back() + lengths.back() : 0, ' ');
  if (PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), places.data(),
                   MPI_CHAR, 0, comm) != MPI_SUCCESS ||
      rank != 0)
    return "";
  const Lines own = lines_of(mine);
  for (int other = 1; other < p; ++other) {
    const Lines theirs = lines_of(all.substr(places[other], lengths[other]));
    const std::string name = first_difference(own, theirs);
    if (name.empty()) continue;
    const auto [what, remedy] = described(name);
    return what + " is " + value_in(own, name) + " on rank 0 (" + own.at("host") + "), but " +
           value_in(theirs, name) + " on rank " + std::to_string(other) + " (" + theirs.at("host") +
           ") of " + std::to_string(p) + " ranks; " + remedy;
  }
  return "";
}

}  // namespace toccata
