#include "mpi/process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/communicator.h"
#include "mpi/discovery.h"
#include "mpi/request.h"

namespace toccata {

namespace {

std::atomic<int> process_keyval{MPI_KEYVAL_INVALID};
std::atomic<int> communicator_keyval{MPI_KEYVAL_INVALID};
int processes = 0;  // in this address space
std::mutex making;  // guards all of these while they change

bool is_mpi_there() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, "") != 0 && std::strcmp(value, "0") != 0;
}

Process* attached() {
  void* process = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_SELF, Keyvals::process(), &process, &found);
  return found != 0 ? static_cast<Process*>(process) : nullptr;
}

}  // namespace

int Keyvals::process() { return process_keyval.load(std::memory_order_acquire); }
int Keyvals::communicator() { return communicator_keyval.load(std::memory_order_acquire); }

Process* Keyvals::attach() {
  const std::lock_guard lock(making);
  if (!is_mpi_there()) return nullptr;
  if (process() == MPI_KEYVAL_INVALID) {
    int for_process, for_communicator;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_communicator, &for_communicator,
                                nullptr) != MPI_SUCCESS ||
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_process, &for_process, nullptr) !=
            MPI_SUCCESS)
      return nullptr;
    communicator_keyval.store(for_communicator, std::memory_order_release);
    process_keyval.store(for_process, std::memory_order_release);
  }
  if (Process* made_meanwhile = attached()) return made_meanwhile;
  std::unique_ptr<Process> made(new Process);
  if (PMPI_Comm_set_attr(MPI_COMM_SELF, process(), made.get()) != MPI_SUCCESS) return nullptr;
  ++processes;
  return made.release();
}

// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while MPI still works.
int Keyvals::forget_process(MPI_Comm, int, void* process, void*) {
  delete static_cast<Process*>(process);
  const std::lock_guard lock(making);
  if (--processes == 0) {
    communicator_keyval.store(MPI_KEYVAL_INVALID);
    process_keyval.store(MPI_KEYVAL_INVALID);
  }
  return MPI_SUCCESS;
}

int Keyvals::forget_communicator(MPI_Comm, int, void* communicator, void*) {
  static_cast<Communicator*>(communicator)->leave_user();
  return MPI_SUCCESS;
}

Process* Process::current() {
  if (Keyvals::process() != MPI_KEYVAL_INVALID)
    if (Process* process = attached()) return process;
  return Keyvals::attach();
}

Process::Process() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
  reporting_ = is_set("TOCCATA_REPORT");
  reproducible_ = is_set("TOCCATA_REPRODUCIBLE");
  for (const Collective* collective : collectives()) {
    Choice choice;
    const std::string variable(collective->variable);
    const char* text = std::getenv(variable.c_str());
    if (text != nullptr && *text != '\0') {
      try {
        choice = parse_choice(*collective, text);
      } catch (const RequestError& error) {
        say_once(variable + "=" + text + ": " + error.what() + ". Using native.");
      }
    }
    asked_.emplace_back(collective, std::move(choice));
  }
}

Process::~Process() {
  while (!communicators_.empty()) communicators_.back()->close();
}

const Choice& Process::asked(const Collective& collective) const {
  return std::ranges::find(asked_, &collective, [](auto& each) { return each.first; })->second;
}

const Surroundings& Process::surroundings() {
  std::call_once(looked_round_, [this] {
    surroundings_ = std::make_unique<const Surroundings>();
    for (const std::string& each : surroundings_->complaints()) say_once(each);
  });
  return *surroundings_;
}

void Process::report() {
  for (const Communicator* each : communicators_) past_.add(each->report());
  if (!past_.gather(MPI_COMM_WORLD))
    say_once(
        "only what rank 0 took part in: not all ranks have ended within 10 s, or TOCCATA_REPORT is "
        "not set on all of them (mpirun -x)");
  if (world_rank_ == 0) std::fputs(past_.table().c_str(), stderr);
}

void Process::say_once(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (world_rank_ == 0 && said_.insert(line).second)
    std::fprintf(stderr, "toccata: %s\n", line.c_str());
}

namespace {

// MPI_SUCCESS where this MPI gives no such code: MPICH 4.0 mixes up codes added to classes of its
// own, so look what came out.
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

// Codes are scarce (MPICH has a thousand), so one is made for each text, once.
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

void Process::progress() {
  const std::unique_lock lock(active_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // somebody else is at it
  for (Request* each : active_) each->try_progress();
}

void Process::add(Request& request) {
  const std::lock_guard lock(active_mutex_);
  active_.push_back(&request);
  ++active_count_;
}

void Process::remove(Request& request) {
  const std::lock_guard lock(active_mutex_);
  active_count_ -= static_cast<int>(std::erase(active_, &request));
}

void Process::add(Communicator& communicator) {
  const std::lock_guard lock(mutex_);
  communicators_.push_back(&communicator);
}

void Process::remove(Communicator& communicator) {
  const std::lock_guard lock(mutex_);
  past_.add(communicator.report());
  std::erase(communicators_, &communicator);
}

void report_at_finalize() noexcept {
  try {
    if (Process* process = Process::current(); process != nullptr && process->reporting())
      process->report();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "toccata: no report: %s\n", error.what());
  }
}

}  // namespace toccata
