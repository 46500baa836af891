#include "mpi/process/sessions.h"

#ifdef TOCCATA_HAS_SESSIONS

#include <array>
#include <cstdint>
#include <string_view>

#include "mpi/agreement/roll_call.h"
#include "mpi/libraries/library.h"
#include "mpi/process/process.h"

namespace toccata {

std::atomic<int> Sessions::sessions = 0;

namespace {

// MPI has no attributes of sessions, so this state needs a variable.
enum class Stage : std::uint8_t { none, spoilt, open, off };
std::atomic<Stage> stage = Stage::none;

bool has_threads(MPI_Info info) {
  if (our_mpi.gives_all_threads) return true;
  if (info == MPI_INFO_NULL) return false;
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int found = 0;
  PMPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, value, &found);
  if (found == 0) return our_mpi.may_give_threads;
  return std::string_view(value) == "MPI_THREAD_MULTIPLE";
}

// Whether all ranks of a communicator of all processes have the library, and none is spoilt.
bool agree_to_open(MPI_Comm comm) {
  const std::array<std::uint64_t, 1> mine{stage == Stage::spoilt ||
                                          World::thread_level() == MPI_THREAD_MULTIPLE};
  std::array<std::uint64_t, 1> largest{};
  int absent = -1;
  const int code = RollCall::find_largest(comm, mine, largest, nullptr, absent);
  if (absent >= 0) Process::complain_of_absent(absent);
  return code == MPI_SUCCESS && absent < 0 && largest[0] == 0;
}

}  // namespace

void Sessions::begin_init(MPI_Info info, bool reach_us) noexcept {
  const bool threads = has_threads(info);
  if (threads) World::note_threads_of_session();
  RollCall::enter_session(reach_us && !threads);
}

void Sessions::created(MPI_Comm comm, void (*begin)()) noexcept {
  int p = 0;
  if (PMPI_Comm_size(comm, &p) != MPI_SUCCESS || p == 1 || stage == Stage::open ||
      stage == Stage::off)
    return;
  if (World::is_initialized() || !World::has_all_processes(comm)) {
    stage = Stage::spoilt;
    return;
  }
  if (!RollCall::is_possible_in_sessions()) return;
  const bool opened = agree_to_open(comm) && World::open(comm);
  stage = opened ? Stage::open : Stage::off;
  if (opened) begin();
}

void Sessions::begin_finalize() noexcept {
  if (--sessions == 0 && !World::is_initialized()) end();
}

void Sessions::end() noexcept {
  if (stage != Stage::open) return;
  Process::end();
  World::close();
  stage = Stage::none;
}

void Sessions::finalize_world() noexcept {
  if (sessions == 0) end();
}

bool Sessions::is_open() noexcept { return stage == Stage::open; }

int Sessions::end_with_world(MPI_Comm, int, void*, void*) noexcept {
  finalize_world();
  return MPI_SUCCESS;
}

void Sessions::watch_world() noexcept {
  int keyval = MPI_KEYVAL_INVALID;
  if (!our_mpi.ends_self_early || PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_world,
                                                          &keyval, nullptr) != MPI_SUCCESS)
    return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);
}

}  // namespace toccata

#endif
