#include "mpi/process/process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "mpi/agreement/agreement.h"
#include "mpi/agreement/discovery.h"
#include "mpi/agreement/overdue.h"
#include "mpi/agreement/roll_call.h"
#include "mpi/data/roomy_stack.h"
#include "mpi/devices/device_memory.h"
#include "mpi/devices/device_support.h"
#include "mpi/libraries/library.h"
#include "mpi/libraries/progress_hook.h"
#include "mpi/process/ending.h"
#include "mpi/settings/difference.h"
#include "mpi/settings/family.h"
#include "mpi/world/world.h"
#include "text/digest.h"
#include "topology/planned_hosts.h"

namespace toccata {

namespace {

struct Values {
  std::atomic<int> process{MPI_KEYVAL_INVALID};
  std::atomic<int> communicator{MPI_KEYVAL_INVALID};
  std::atomic<int> datatype{MPI_KEYVAL_INVALID};
  int processes = 0;            // in this address space
  bool world_has_gone = false;  // MPI_Finalize has begun
  std::mutex making;            // guards all members
};

#ifdef TOCCATA_SIMULATED
// For the simulator: all ranks share one address space, and MPI_COMM_WORLD is one object with one
// set of attributes. So each rank needs its own keyvals.
Values& keyvals() {
  if (smpi_process_get_user_data() == nullptr) smpi_process_set_user_data(new Values);
  return *static_cast<Values*>(smpi_process_get_user_data());
}
#else
Values only_keyvals;
Values& keyvals() { return only_keyvals; }
#endif

Process* attached() {
  void* process = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(World::self(), Keyvals::process(), &process, &found);
  return found != 0 ? static_cast<Process*>(process) : nullptr;
}

}  // namespace

int Keyvals::process() { return keyvals().process.load(std::memory_order_acquire); }
int Keyvals::communicator() { return keyvals().communicator.load(std::memory_order_acquire); }
int Keyvals::datatype() { return keyvals().datatype.load(std::memory_order_acquire); }

Process* Keyvals::attach() {
  Values& values = keyvals();
  const std::lock_guard lock(values.making);
  if (!World::is_there() || !Settings::get().is_our_mpi()) return nullptr;
  // MPICH then deletes the attributes of MPI_COMM_WORLD, whose callbacks may call collectives.
  if (values.world_has_gone && !World::is_ours()) return nullptr;
  if (process() == MPI_KEYVAL_INVALID) {
    int for_process, for_communicator, for_datatype;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_communicator, &for_communicator,
                                nullptr) != MPI_SUCCESS ||
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, DatatypeTable::forget, &for_datatype,
                                nullptr) != MPI_SUCCESS ||
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_process, &for_process, nullptr) !=
            MPI_SUCCESS)
      return nullptr;
    values.communicator.store(for_communicator, std::memory_order_release);
    values.datatype.store(for_datatype, std::memory_order_release);
    values.process.store(for_process, std::memory_order_release);
  }
  if (Process* made_meanwhile = attached()) return made_meanwhile;
  std::unique_ptr<Process> made(new Process);
  if (PMPI_Comm_set_attr(World::self(), process(), made.get()) != MPI_SUCCESS) return nullptr;
  ++values.processes;
  return made.release();
}

// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while MPI still works. After that, no
// communicator may have any of our data, because MPI may keep a communicator longer.
int Keyvals::forget_process(MPI_Comm, int, void* process, void*) {
  auto* const ending = static_cast<Process*>(process);
  const bool is_of_session = World::is_ours();
  try {
    ending->drain();
    ending->finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "toccata: error while finalizing MPI: %s\n", error.what());
  }
  delete ending;
  Values& values = keyvals();
  const std::lock_guard lock(values.making);
  values.world_has_gone = values.world_has_gone || !is_of_session;
  if (--values.processes == 0) {
    values.communicator.store(MPI_KEYVAL_INVALID);
    values.datatype.store(MPI_KEYVAL_INVALID);
    values.process.store(MPI_KEYVAL_INVALID);
  }
  return MPI_SUCCESS;
}

int Keyvals::forget_communicator(MPI_Comm, int, void* communicator, void*) {
  static_cast<Attachment*>(communicator)->leave_user();
  return MPI_SUCCESS;
}

Process* Process::current() {
  if (Keyvals::process() != MPI_KEYVAL_INVALID)
    if (Process* process = attached()) return process;
  return Keyvals::attach();
}

Process::Process() : datatypes_(Keyvals::datatype()) {
  // If another tool's MPI_Init has hidden the library, ranks do not know which of them have it.
  if (is_preloaded() && !RollCall::has_entered() && !World::is_ours()) Settings::switch_off();
  PMPI_Comm_rank(World::comm(), &world_rank_);
  Settings::get().complain(world_rank_ == 0);
  began_ = PMPI_Wtime();
#ifndef TOCCATA_SIMULATED  // there, no rank is spawned
  if (!World::is_ours()) {
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    spawned_ = parent != MPI_COMM_NULL;
  }
#endif
}

Process::~Process() {
  while (!communicators_.empty()) communicators_.back()->close();
}

namespace {

// The words that all ranks exchange in MPI_Init. Ranks find the maximum of each.
enum Word {
  said,
  said_complement,
  files,
  files_complement,
  wanted,
  reporting,
  without_file,  // a rank writes no report to a file
  lacks_hook,
  misplaced,  // the number of this rank and all later ones, if it is not where it should be
  lacking,    // a rank cannot even report its requests
  words
};
using Words = std::array<std::uint64_t, words>;
static_assert(words <= RollCall::most_numbers);

// The largest of each word over all ranks of MPI_COMM_WORLD. If the launcher names a rank without
// the library, `absent` is set to it. Otherwise such a rank can only be waited for, as a late one.
int find_largest(const Words& mine, Words& largest, Overdue* overdue, int& absent) noexcept {
  absent = -1;
  if (!World::is_ours() && RollCall::is_possible())
    return RollCall::find_largest(MPI_COMM_WORLD, mine, largest, overdue, absent);
  MPI_Request request;
  int code = start_agreement(mine, largest, World::comm(), request);
  for (bool ended = false; code == MPI_SUCCESS && !ended;) {
    code = Transport::test(request, ended);
    if (overdue != nullptr) overdue->tick();
    if (!ended) std::this_thread::yield();
  }
  return code;
}

}  // namespace

namespace {

std::string complaint_of_here(int rank, int size) {
  return complaint_of_place(Settings::get().planned_hosts(), rank, size, processor_name());
}

// This rank's words. Steps that can fail on a single rank come here: then all ranks learn of the
// failure, and switch the library off.
Words words_here(bool program_calls_us, std::string (*hidden_collectives)(), int rank, int size) {
  const Settings& settings = Settings::get();
  Settings::add_hidden_collectives(hidden_collectives());
  const std::uint64_t said_here = digest(settings.text());
  const std::uint64_t files_here = digest(settings.files_text());
  const bool hooked = settings.ask_for_requests() &&
                      ProgressHook::install(World::thread_level() == MPI_THREAD_MULTIPLE);
  return {said_here,
          ~said_here,
          files_here,
          ~files_here,
          program_calls_us || settings.ask_for_anything() ||
              settings.node() != Settings::Node::off || hooked,
          settings.reporting(),
          settings.report_file().empty(),
          !hooked,
          complaint_of_here(rank, size).empty() ? 0u : static_cast<unsigned>(size - rank),
          0};
}

}  // namespace

void Process::begin(bool program_calls_us, std::string (*hidden_collectives)()) noexcept {
  const Settings& settings = Settings::get();
  if (!settings.is_our_mpi()) {
    settings.complain(is_first_rank());
    return;
  }
  int rank = 0, size = 0;
  PMPI_Comm_rank(World::comm(), &rank);
  PMPI_Comm_size(World::comm(), &size);
  Words mine{}, largest{};
  mine[lacking] = 1;
  std::optional<Overdue> overdue;
  if (!settings.failed()) try {
      overdue.emplace("all " + std::to_string(size) + " ranks in MPI_Init");
      mine = words_here(program_calls_us, hidden_collectives, rank, size);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "toccata: Toccata is off: %s\n", error.what());
    }
  if (!settings.name_schedules()) settings.complain(rank == 0);
  int absent = -1;
  const int code = find_largest(mine, largest, overdue ? &*overdue : nullptr, absent);
  if (absent >= 0) {
    complain_of_absent(absent);
    Settings::switch_off();
    return;
  }
  if (code != MPI_SUCCESS || largest[lacking] != 0) {
    const char* const why =
        largest[lacking] != 0
            ? "it cannot start on one of them; that rank's message names the reason"
            : "they cannot compare their settings";
    if (rank == 0 && mine[lacking] == 0)
      std::fprintf(stderr, "toccata: Toccata is off on all ranks, because %s\n", why);
    Settings::switch_off();
    return;
  }
  try {
    begin_together(largest, rank);
  } catch (const std::exception& error) {
    const bool lacks_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    const char* const why = lacks_memory ? "out of memory" : error.what();
    if (size > 1) end_job(why);
    std::fprintf(stderr, "toccata: %s. Using the MPI library everywhere.\n", why);
    Settings::switch_off();
  }
}

namespace {

// The first rank that is not where it should be prints one line. `ranks`: it and all later ones.
void say_if_misplaced(std::uint64_t ranks, int rank) {
  int size = 0;
  PMPI_Comm_size(World::comm(), &size);
  if (ranks == static_cast<std::uint64_t>(size - rank))
    std::fprintf(stderr, "toccata: %s\n", complaint_of_here(rank, size).c_str());
}

}  // namespace

void Process::begin_together(std::span<const std::uint64_t> largest, int rank) {
  const Settings& settings = Settings::get();
  const bool alike = largest[said] == ~largest[said_complement];
  if (alike && largest[files] != ~largest[files_complement]) Settings::adopt_files(World::comm());
  if (alike && settings.name_schedules()) Settings::adopt_schedules(World::comm());
  settings.complain(rank == 0);
  say_if_misplaced(largest[misplaced], rank);
  const std::string difference = alike ? "" : difference_of_settings(World::comm());
  if (largest[wanted] == 0 && alike && largest[reporting] == 0 && !settings.ask_for_requests())
    return;
  // Later, a call of a thread with a small stack would create it.
  Process* const process = current();
  if (process == nullptr) return;
  // As soon as a communicator is revoked, native returns an error on all ranks. Our messages use
  // another communicator, on which ranks would wait forever.
  const bool goes_on_after_deaths = our_mpi.tolerates_faults();
  process->off_ = !alike || goes_on_after_deaths;
  if (goes_on_after_deaths) {
    process->say_once("fault tolerance (ULFM) is on. Using the MPI library everywhere.");
    return;
  }
  if (!alike && !difference.empty())
    process->say_once(difference + ". Using the MPI library everywhere.");
  if (alike) process->begin_alike(largest[wanted] != 0, largest[lacks_hook] == 0);
  if (largest[without_file] == 0) process->arrival_log_.begin(process->common());
}

void Process::complain_of_absent(int rank) noexcept {
  if (!Settings::get().do_anything() || !is_first_on_host()) return;
  std::fprintf(stderr,
               "toccata: Toccata is off, because rank %d has not loaded this version, or "
               "another tool's MPI_Init hides Toccata. Pass LD_PRELOAD to every rank (Open MPI: "
               "mpirun -x LD_PRELOAD), with libtoccata.so first. A profiler that is linked "
               "statically comes before any preloaded library: link it dynamically.\n",
               rank);
}

void Process::begin_alike(bool wanted, bool hooked) {
  agreed_ = true;
  if (!wanted) return;
  if (world_.open(World::comm()) != MPI_SUCCESS) {
    off_ = true;
    say_once("MPI cannot create a private communicator. Using the MPI library everywhere.");
    return;
  }
  began_with_world_ = true;
  datatypes_.judge_by(world_.comm());
  serves_requests_ = hooked;
  if (hooked) ProgressHook::drive(this);
  if (Settings::get().wants_progress_thread()) start_progress_thread();
  if (Settings::get().go_by_places()) place_world(world_.comm());
  // Errors in it are reported now, even if no call uses it later.
  const TopologySetting& topology = Settings::get().topology();
  if (world_rank_ == 0 && !(topology.machine.empty() && topology.placement.empty())) surroundings();
}

void Process::start_progress_thread() {
  if (!our_mpi.progresses_by_thread)
    say_once("TOCCATA_PROGRESS=thread works under Open MPI only. Using TOCCATA_PROGRESS=calls.");
  else if (World::thread_level() == MPI_THREAD_MULTIPLE && serves_requests_)
    progress_thread_ = std::make_unique<ProgressThread>(*this);
  else
    say_once(
        "TOCCATA_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and Open MPI's progress hook on all "
        "ranks. Using TOCCATA_PROGRESS=calls.");
}

Stance Process::stance() const {
  return {.settings = agreed_ ? 0 : Settings::get().digest(),
          .knows_places = world_placement() != nullptr};
}

void Process::place_world(MPI_Comm comm) {
  std::string complaint;
  set_world_placement(
      discover({comm, *this, false}, surroundings(), world_.node().lowest_rank(), complaint));
  if (!complaint.empty()) say_once(complaint);
}

std::shared_ptr<const Placement> Process::world_placement() const {
  const std::lock_guard lock(mutex_);
  return world_placement_;
}

void Process::set_world_placement(std::shared_ptr<const Placement> found) {
  const std::lock_guard lock(mutex_);
  world_placement_ = std::move(found);
}

const Surroundings& Process::surroundings() {
  std::call_once(looked_round_, [this] {
    on_roomy_stack([this] {
      surroundings_ = std::make_unique<const Surroundings>(Settings::get().topology());
    });
    for (const std::string& each : surroundings_->complaints()) say_once(each);
  });
  return *surroundings_;
}

const Service& Process::service(const Collective& collective, const std::string& asked,
                                Service::Instead instead, const Choice& choice,
                                const Report::Key& key) {
  const std::lock_guard lock(mutex_);
  for (const Service& each : services_)
    if (&each.collective == &collective && each.asked == asked && each.instead == instead &&
        each.choice == choice && each.key == key)
      return each;
  return services_.emplace_back(
      Service{collective, asked, instead, key.ranks, choice, key, report_.row(key)});
}

void Process::count(const Service& service, std::int64_t bytes, double seconds, double outside) {
  const std::lock_guard lock(mutex_);
  service.row.calls += 1;
  service.row.bytes += bytes;
  service.row.seconds += seconds;
  service.row.outside += outside;
}

void Process::tell(const Service& service, const Evidence& times) {
  const std::lock_guard lock(mutex_);
  service.row.times = times;
}

void Process::learn(const Tuning::Point& point, double saved) {
  const std::lock_guard lock(mutex_);
  learned_.add(point, saved);
}

// Other ranks may wait for our messages. So this rank advances its requests until all ranks are
// here (sessions end on each rank at its own time), and a short time longer. Requests that have not
// ended by then never will, because some rank has not started them. Their memory stays, because MPI
// may still write there.
void Process::drain() {
  using namespace std::chrono_literals;
  if (!serves_requests_) return;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = World::is_ours() ? MPI_SUCCESS : PMPI_Ibarrier(world_.comm(), &request);
  for (bool ended = World::is_ours(); code == MPI_SUCCESS && !ended;) {
    progress();
    code = Transport::test(request, ended);
    if (!ended) std::this_thread::yield();
  }
  using Clock = std::chrono::steady_clock;
  for (const auto started = Clock::now(); busy() && Clock::now() - started < 1s;) {
    progress();
    std::this_thread::yield();
  }
  progress_thread_.reset();
  ProgressHook::drive(nullptr);
  serves_requests_ = false;
}

void Process::end_requests() noexcept {
  if (Keyvals::process() == MPI_KEYVAL_INVALID) return;
  try {
    if (Process* const process = attached()) process->drain();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "toccata: cannot end open requests: %s\n", error.what());
  }
}

// The program may begin again, so the keyvals do not stay.
void Process::end() noexcept {
  int process = Keyvals::process(), communicator = Keyvals::communicator(),
      datatype = Keyvals::datatype();
  if (process == MPI_KEYVAL_INVALID) return;
  end_requests();
  PMPI_Comm_delete_attr(World::self(), process);
  PMPI_Comm_free_keyval(&process);
  PMPI_Comm_free_keyval(&communicator);
  PMPI_Type_free_keyval(&datatype);
}

void Process::finish() {
  for (Attachment* each : std::vector(communicators_)) each->tell();
  if (world_rank_ == 0 && !learned_.points().empty()) write_learned();
  if (Settings::get().reporting()) report();
}

// Merges the results with those of other runs that have written the file meanwhile.
void Process::write_learned() {
  const std::string& path = Settings::get().learns_to();
  try {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    add_to_tuning({node_text(), library_version(), learned_.points()}, path);
  } catch (const TuningError& error) {
    say_once("TOCCATA=learn: " + std::string(error.what()));
  }
}

void Process::report() {
  if (!report_.gather(World::comm(), arrival_log_, common()))
    say_once(
        "the report may be incomplete: some ranks did not finalize within 10 s, or TOCCATA_REPORT "
        "is not set on all of them (Open MPI: mpirun -x TOCCATA_REPORT, MPICH: mpiexec -genvall)");
  if (world_rank_ != 0) return;
  std::vector<std::string> devices;
  for (const DeviceRuntime* each : device_runtimes()) devices.push_back(describe(*each));
  if (const std::string& path = Settings::get().report_file(); !path.empty()) {
    if (spawned_)
      return say_once("TOCCATA_REPORT=" + path +
                      ": spawned ranks write no report; the file belongs to the job that spawned "
                      "them");
    int ranks = 0;
    PMPI_Comm_size(World::comm(), &ranks);
    std::ofstream file(path);
    const std::string node =
        world_.node().lowest_rank() < 0 ? "" : processor_name() + ": " + world_.node().describe();
    file << report_.json(library_version(), ranks, PMPI_Wtime() - began_, node, devices);
    file.close();
    if (!file)
      say_once("TOCCATA_REPORT=" + path +
               ": cannot be written; check the path and its permissions");
    return;
  }
  const std::string table = report_.table();
  if (table.empty())
    say_once(
        "Toccata intercepted no collectives. If the program calls any, another preloaded tool "
        "comes "
        "first (list libtoccata.so first in LD_PRELOAD)"
#ifndef TOCCATA_SERVES_REQUESTS
        ", or the calls are nonblocking or persistent, which Toccata does not intercept under this "
        "MPI"
#endif
    );
  std::fputs(table.c_str(), stderr);
  for (const std::string& each : devices)
    std::fprintf(stderr, "toccata: devices: %s\n", each.c_str());
}

void Process::say_here(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (said_.insert(line).second) std::fprintf(stderr, "toccata: %s\n", line.c_str());
}

namespace {

// Returns MPI_SUCCESS if this MPI cannot create such a code. The result is checked, because MPICH
// 4.0 confuses codes that were added to new classes.
int explained_code(int error_class, const std::string& text) {
  int code = 0, found_class = 0, length = 0;
  char found_text[MPI_MAX_ERROR_STRING];
  const bool explained = PMPI_Add_error_code(error_class, &code) == MPI_SUCCESS &&
                         PMPI_Add_error_string(code, text.c_str()) == MPI_SUCCESS &&
                         PMPI_Error_class(code, &found_class) == MPI_SUCCESS &&
                         PMPI_Error_string(code, found_text, &length) == MPI_SUCCESS &&
                         found_class == error_class && text == found_text;
  return explained ? code : MPI_SUCCESS;
}

}  // namespace

// Codes are scarce (MPICH has a thousand), so each text gets only one.
int Process::explain(int error_class, const std::string& text) {
  int code = MPI_SUCCESS;
  {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = explained_.try_emplace({error_class, text}, MPI_SUCCESS);
    if (is_new)
      known->second =
          explained_code(error_class, "toccata: " + text.substr(0, MPI_MAX_ERROR_STRING - 16));
    code = known->second;
  }
  if (code != MPI_SUCCESS) return code;
  say_once(text);
  return error_class;
}

int Process::progress() {
  if (progressing_.exchange(true, std::memory_order_acquire)) return 0;  // by another thread
  struct Leaving {
    std::atomic<bool>& progressing;
    ~Leaving() { progressing.store(false, std::memory_order_release); }
  } const leaving{progressing_};
  const ProgressHook::WithoutYielding without_yielding;
  std::vector<UnderWay*> ended;
  try {
    const std::lock_guard lock(active_mutex_);
    take_added();
    for (UnderWay* each : active_)
      if (each->try_progress()) ended.push_back(each);
    for (UnderWay* each : ended) active_count_ -= static_cast<int>(std::erase(active_, each));
  } catch (const std::bad_alloc&) {
    end_job("out of memory");
  }
  // The waiting rank may start it again at once.
  for (UnderWay* each : ended) each->left();
  return static_cast<int>(ended.size());
}

void Process::take_added() {
  const std::lock_guard lock(added_mutex_);
  active_.insert(active_.end(), added_.begin(), added_.end());
  added_.clear();
}

void Process::add(UnderWay& request) {
  {
    const std::lock_guard lock(added_mutex_);
    added_.push_back(&request);
    ++active_count_;
  }
  if (serves_requests_ && !ProgressHook::wake())
    say_once(
        "MPIX_Async_start failed, so nonblocking collectives advance only in calls of other "
        "collectives. If the program hangs, set TOCCATA=off.");
  if (progress_thread_ != nullptr) progress_thread_->wake();
}

void Process::remove(UnderWay& request) {
  const std::lock_guard lock(active_mutex_);
  take_added();
  active_count_ -= static_cast<int>(std::erase(active_, &request));
}

bool Process::has(MPI_Request handle) {
  const std::lock_guard lock(active_mutex_);
  take_added();
  return std::ranges::any_of(active_, [&](UnderWay* each) { return each->has(handle); });
}

void Process::add(Attachment& communicator) {
  const std::lock_guard lock(mutex_);
  communicators_.push_back(&communicator);
}

void Process::remove(Attachment& communicator) {
  const std::lock_guard lock(mutex_);
  std::erase(communicators_, &communicator);
}

}  // namespace toccata
