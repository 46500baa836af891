// The time of nonblocking and persistent collectives. This MPI program does not use Toccata;
// scripts/nonblocking.py runs it under Open MPI or MPICH with the library preloaded. Calls of MPI_*
// alternate with calls of the MPI library's own functions, which the library does not intercept.
// Rank 0 prints one line per cell and form:
//
//   COLLECTIVE BYTES FORM MEDIAN QUARTILE QUARTILE   (microseconds)
//
// FORM is native or ours, and one of
//
//   blocking
//   nonblocking   followed by the wait
//   overlapped    with a computation that takes as long as the native nonblocking call
//   persistent    start and wait
//
// While a rank computes, only messages in flight advance its call. Each sample starts at a common
// time; its time is that of the slowest rank. BYTES are those of a block of alltoall, allgather,
// gather, scatter, reduce_scatter and the vector forms, and of the message of the others.
//
//   nonblocking [-r SAMPLES] [-t TRIALS] [-s SECONDS] [-b BYTES,...] [-c COLLECTIVE,...] [-o]
//
// -o: a program that overlaps all its calls: computes in the trials, too, and only `overlapped` is
// measured. The ranks agree at barriers.
// -t: calls of each form before the first sample, in which the library tries algorithms (500).
// -s: approximate maximum of seconds per cell (10). Long calls get fewer trials and samples.

#include <mpi.h>

#if defined(OPEN_MPI) || (MPI_VERSION >= 4 && !defined(MPI_ABI))

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#endif

#include "turns.h"

namespace {

#define WORLD MPI_COMM_WORLD
const MPI_Datatype type = MPI_LONG;  // exact sums, so that the library tries other algorithms
int p;
long *in, *out;
// Of the vector forms, whose ranks do not know each other's counts: those of a cell.
std::vector<int> counts, places;

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#define INIT(Name) MPIX_##Name##_init
#else
#define INIT(Name) MPI_##Name##_init
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

// A function of the MPI library itself: a search by its handle does not find the preloaded one.
template <typename Function>
Function* native_function(Function* ours, const char* name) {
  Dl_info info = {};
  dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &info);
  void* const library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr || found == reinterpret_cast<void*>(ours)) {
    std::fprintf(stderr, "nonblocking: the MPI library has no function of its own %s\n", name);
    MPI_Abort(WORLD, 1);
  }
  return reinterpret_cast<Function*>(found);
}

struct Side {
  std::function<void(int)> blocking;
  std::function<void(int, MPI_Request*)> start;
  std::function<void(int, MPI_Request*)> init;
};
struct Collective {
  std::string name;
  Side native, ours;
};

#define ARGUMENTS(...) __VA_ARGS__
#define SIDE(PREFIX, Name, name, arguments, init)                                            \
  Side {                                                                                     \
    []([[maybe_unused]] int n) { PREFIX##Name(arguments WORLD); },                           \
        []([[maybe_unused]] int n, MPI_Request* r) { PREFIX##I##name(arguments WORLD, r); }, \
        []([[maybe_unused]] int n, MPI_Request* r) {                                         \
          static const auto function = init;                                                 \
          function(arguments WORLD, MPI_INFO_NULL, r);                                       \
        }                                                                                    \
  }
#define COLLECTIVE(Name, name, arguments)                         \
  Collective {                                                    \
#name,                                                        \
        SIDE(PMPI_, Name, name, ARGUMENTS(arguments),             \
             native_function(&INIT(Name), TEXT(INIT(Name)))),     \
        SIDE(MPI_, Name, name, ARGUMENTS(arguments), &INIT(Name)) \
  }

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all{
      COLLECTIVE(Allreduce, allreduce, ARGUMENTS(in, out, n, type, MPI_SUM, )),
      COLLECTIVE(Reduce, reduce, ARGUMENTS(in, out, n, type, MPI_SUM, 0, )),
      COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
                 ARGUMENTS(in, out, n, type, MPI_SUM, )),
      COLLECTIVE(Bcast, bcast, ARGUMENTS(out, n, type, 0, )),
      COLLECTIVE(Allgather, allgather, ARGUMENTS(in, n, type, out, n, type, )),
      COLLECTIVE(Alltoall, alltoall, ARGUMENTS(in, n, type, out, n, type, )),
      COLLECTIVE(Gather, gather, ARGUMENTS(in, n, type, out, n, type, 0, )),
      COLLECTIVE(Scatter, scatter, ARGUMENTS(in, n, type, out, n, type, 0, )),
      COLLECTIVE(Scan, scan, ARGUMENTS(in, out, n, type, MPI_SUM, )),
      COLLECTIVE(Alltoallv, alltoallv,
                 ARGUMENTS(in, counts.data(), places.data(), type, out, counts.data(),
                           places.data(), type, )),
      COLLECTIVE(Gatherv, gatherv,
                 ARGUMENTS(in, n, type, out, counts.data(), places.data(), type, 0, )),
      COLLECTIVE(Scatterv, scatterv,
                 ARGUMENTS(in, counts.data(), places.data(), type, out, n, type, 0, )),
      COLLECTIVE(Barrier, barrier, ARGUMENTS())};
  return all;
}

// All ranks share the clock of this machine, also on emulated hosts.
double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
// If ranks share cores, they sleep. If they computed or read the clock, they would delay other
// ranks.
void wait_until(double end) {
  static const bool crowded = p > sysconf(_SC_NPROCESSORS_ONLN);
  if (crowded) {
    const auto nanoseconds = static_cast<std::int64_t>(end * 1e9);
    const timespec time{nanoseconds / 1000000000, nanoseconds % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
  }
  while (now() < end) {
  }
}
void wait(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
void wait_native(MPI_Request& request) { PMPI_Wait(&request, MPI_STATUS_IGNORE); }

double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * (values.size() - 1) + 0.5);
  std::ranges::nth_element(values, at);
  return *at;
}

constexpr double late = 1e6;  // the seconds of a sample for which this rank was late

// The seconds of the slowest rank, for each sample without a late rank.
std::vector<double> slowest(const std::vector<double>& mine) {
  std::vector<double> result(mine.size());
  PMPI_Allreduce(mine.data(), result.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX,
                 WORLD);
  if (std::ranges::count(result, late) < static_cast<std::ptrdiff_t>(result.size()))
    std::erase(result, late);
  return result;
}

void measure_cell(const Collective& collective, int bytes, int samples, int trials, double seconds,
                  bool overlaps) {
  const int n = std::max(bytes / static_cast<int>(sizeof(long)), 1);
  counts.assign(p, n);
  places.resize(p);
  for (int rank = 0; rank < p; ++rank) places[rank] = rank * n;
  const Side &native = collective.native, &ours = collective.ours;
  MPI_Request request, native_request, our_request;
  native.init(n, &native_request);
  ours.init(n, &our_request);

  // Long calls get fewer trials and samples.
  const double started = now();
  for (int i = 0; i < 4; ++i) native.blocking(n);
  double typical = (now() - started) / 4;
  PMPI_Allreduce(MPI_IN_PLACE, &typical, 1, MPI_DOUBLE, MPI_MAX, WORLD);
  trials = std::min(trials, static_cast<int>(seconds / 6 / typical) + 1);
  samples = std::min(samples, std::max(static_cast<int>(seconds / 20 / typical), 8));

  double work = 0;
  const auto nonblocking = [&](bool is_native, double computes) {
    (is_native ? native : ours).start(n, &request);
    if (computes > 0) wait_until(now() + computes);
    is_native ? wait_native(request) : wait(request);
  };
  const std::array<std::pair<const char*, std::function<void()>>, 8> forms{
      {{"native blocking", [&] { native.blocking(n); }},
       {"ours blocking", [&] { ours.blocking(n); }},
       {"native nonblocking", [&] { nonblocking(true, 0); }},
       {"ours nonblocking", [&] { nonblocking(false, 0); }},
       {"native overlapped", [&] { nonblocking(true, work); }},
       {"ours overlapped", [&] { nonblocking(false, work); }},
       {"native persistent",
        [&] {
          PMPI_Start(&native_request);
          wait_native(native_request);
        }},
       {"ours persistent", [&] {
          MPI_Start(&our_request);
          wait(our_request);
        }}}};
  double lead = 0;  // seconds between the agreement on a common start and this start
  const auto sample = [&](const std::function<void()>& form) {
    double start = now() + lead;
    PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, WORLD);
    const bool is_late = now() > start;
    wait_until(start);
    form();
    return is_late ? late : now() - start;
  };
  std::vector<double> leads;
  for (int i = 0; i < 20; ++i) {
    double mine = now();
    PMPI_Bcast(&mine, 1, MPI_DOUBLE, 0, WORLD);
    leads.push_back(now() - mine);
  }
  lead = quantile(leads, 0.9);  // one long pause of the machine must not prolong every sample
  PMPI_Allreduce(MPI_IN_PLACE, &lead, 1, MPI_DOUBLE, MPI_MAX, WORLD);
  lead *= 1.5;

  // The computation takes as long as the native nonblocking call on its slowest rank.
  std::vector<double> latencies;
  for (int i = 0; i < 15; ++i) latencies.push_back(sample(forms[2].second));
  work = quantile(slowest(latencies), 0.5);
  PMPI_Bcast(&work, 1, MPI_DOUBLE, 0, WORLD);

  // Trials: the ranks agree on the times of nonblocking calls in blocking ones.
  if (overlaps) {
    for (int i = 0; i < trials; ++i) {
      nonblocking(false, work);
      if (i % 8 == 7) MPI_Barrier(WORLD);
    }
  } else {
    for (int i = 0; i < trials; ++i) ours.blocking(n);
    for (int i = 0; i < trials; ++i) {
      nonblocking(false, 0);
      if (i % 8 == 7) ours.blocking(n);
    }
    for (int i = 0; i < trials; ++i) {
      MPI_Start(&our_request);
      wait(our_request);
    }
  }

  // If a rank was late for all samples of a form, they start later after the agreement.
  std::array<std::vector<double>, forms.size()> times;
  bool all_in_time = false;
  for (int attempt = 0; attempt < 4 && !all_in_time; ++attempt, lead *= 2) {
    times = {};
    for (int repetition = 0; repetition < samples; ++repetition)
      for (std::size_t i = 0; i < forms.size(); ++i) {
        const std::size_t which = toccata::turn(i, repetition, forms.size());
        if (!overlaps || std::string_view(forms[which].first).ends_with("overlapped"))
          times[which].push_back(sample(forms[which].second));
      }
    all_in_time = true;
    for (std::vector<double>& each : times) {
      each = slowest(each);
      all_in_time = all_in_time && std::ranges::count(each, late) == 0;
    }
  }
  int rank;
  PMPI_Comm_rank(WORLD, &rank);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (times[i].empty() || rank != 0) continue;
    std::printf("%s %d %s", collective.name.c_str(), bytes, forms[i].first);
    for (const double q : {0.5, 0.25, 0.75}) std::printf(" %.3f", quantile(times[i], q) * 1e6);
    std::printf("\n");
    std::fflush(stdout);
  }
  MPI_Request_free(&our_request);
  PMPI_Request_free(&native_request);
}

}  // namespace

int main(int argc, char** argv) {
  // With TOCCATA_PROGRESS=thread, the library calls MPI from a thread of its own.
  const char* const progress = std::getenv("TOCCATA_PROGRESS");
  const bool by_thread = progress != nullptr && std::string(progress) == "thread";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, by_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_size(WORLD, &p);
  int samples = 40, trials = 500;
  double seconds = 10;
  std::vector<int> sizes;
  std::string names;
  bool overlaps = false;
  for (int option; (option = getopt(argc, argv, "r:t:s:b:c:o")) != -1;) {
    std::stringstream list(optarg != nullptr ? optarg : "");
    if (option == 'o') overlaps = true;
    if (option == 'r') samples = std::atoi(optarg);
    if (option == 't') trials = std::atoi(optarg);
    if (option == 's') seconds = std::atof(optarg);
    if (option == 'c') names = std::string(",") + optarg + ",";
    for (std::string each; option == 'b' && std::getline(list, each, ',');)
      sizes.push_back(std::atoi(each.c_str()));
  }
  if (sizes.empty()) sizes = {8, 1 << 10, 64 << 10};
  const auto longest = static_cast<std::size_t>(*std::ranges::max_element(sizes)) * p;
  std::vector<long> sent(longest / sizeof(long) + 1, 1), received(longest / sizeof(long) + 1, 0);
  in = sent.data();
  out = received.data();
  for (const Collective& each : collectives()) {
    if (!names.empty() && names.find("," + each.name + ",") == std::string::npos) continue;
    for (const int bytes : each.name == "barrier" ? std::vector{0} : sizes)
      measure_cell(each, bytes, samples, trials, seconds, overlaps);
  }
  MPI_Finalize();
}

#else

#include <cstdio>

int main() {
  std::printf("nonblocking: this MPI does not let a preloaded library serve requests\n");
  return 0;
}

#endif
