// The least times of an allreduce among processes that share cores: crowded RANKS [BYTES...]
//
// The processes run the algorithm of allreduce/shared, without MPI: each rank publishes its
// contribution in slices, reduces one slice of all contributions, and publishes the result. Slices
// go through slots of several lengths, in pieces, or the other ranks copy them from this one's
// memory. A rank that waits yields its core. Prints a line per size, with microseconds per call in
// a loop:
//
//   BYTES 4x8K TIME 4x32K TIME 2x64K TIME copies TIME
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int most_ranks = 64, loops = 11, calls = 100;

struct alignas(128) Flag {
  std::atomic<long> value = 0;
  void raise(long to) { value.store(to, std::memory_order_release); }
  bool has(long least) const { return value.load(std::memory_order_acquire) >= least; }
};

// The state of one rank that all ranks see. Positions count pieces, or rounds if ranks copy.
struct Rank {
  Flag published, passed, together;
  pid_t process = 0;
  const double *contribution = nullptr, *result = nullptr;  // in its own memory
};

struct Variant {
  std::string name;
  long slots;              // 0: copies
  std::size_t slot_bytes;  // for all readers
};

class Member {
 public:
  Member(Rank* ranks, char* slots, std::size_t part, int p, int own, std::size_t most)
      : ranks_(ranks),
        slots_(slots),
        part_(part),
        p_(p),
        own_(own),
        in_(most, 1),
        out_(most),
        aside_(most) {
    ranks_[own].process = getpid();
    ranks_[own].contribution = in_.data();
    ranks_[own].result = out_.data();
    meet();
  }

  // The time of a call, in microseconds.
  double time(const Variant& variant, std::size_t bytes) {
    count_ = std::max<std::size_t>(bytes / sizeof(double), 1);
    std::ranges::fill(out_, 0);
    variant_ = &variant;
    std::array<double, loops> times{};
    for (double& each : times) {
      meet();
      const auto began = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) variant.slots > 0 ? through_slots() : by_copies();
      meet();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      each = took.count() / calls * 1e6;
    }
    for (std::size_t i = 0; i < count_; ++i)
      if (out_[i] != p_) {
        std::fputs("crowded: wrong result\n", stderr);
        end();
      }
    std::ranges::sort(times);
    return times[loops / 2];
  }

 private:
  // All processes end with the first one.
  [[noreturn]] void end() const {
    kill(ranks_[0].process, SIGTERM);
    std::_Exit(1);
  }
  template <typename Ready>
  static void wait(Ready ready) {
    while (!ready()) sched_yield();
  }
  void meet() {
    ranks_[own_].together.raise(++meetings_);
    for (int r = 0; r < p_; ++r) wait([&] { return ranks_[r].together.has(meetings_); });
  }

  std::size_t begin(int slice) const { return count_ * slice / p_; }
  std::size_t length(int slice) const { return begin(slice + 1) - begin(slice); }

  static void add(double* into, const double* one, const double* other, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) into[i] = one[i] + other[i];
  }

  void through_slots() {
    const std::size_t all = variant_->slot_bytes / sizeof(double), share = all / p_;
    pieces(
        share,
        [&](double* slot, std::size_t first) {
          for (int r = 0; r < p_; ++r)
            if (r != own_) copy(slot + share * r, in_.data() + begin(r), first, share, length(r));
        },
        [&](int from, const double* slot, std::size_t first) {
          const std::size_t n = std::min(share, length(own_) - std::min(first, length(own_)));
          double* const into = out_.data() + begin(own_) + first;
          const double* const sum =
              from == (own_ + 1) % p_ ? in_.data() + begin(own_) + first : into;
          add(into, sum, slot + share * own_, n);
        });
    pieces(
        all,
        [&](double* slot, std::size_t first) {
          copy(slot, out_.data() + begin(own_), first, all, length(own_));
        },
        [&](int from, const double* slot, std::size_t first) {
          const std::size_t n = std::min(all, length(from) - std::min(first, length(from)));
          std::memcpy(out_.data() + begin(from) + first, slot, n * sizeof(double));
        });
  }

  static void copy(double* slot, const double* slice, std::size_t first, std::size_t most,
                   std::size_t length) {
    if (first < length)
      std::memcpy(slot, slice + first, std::min(most, length - first) * sizeof(double));
  }

  // A round: publishes the slices in pieces, as far ahead as slots are free, and reads those of the
  // other ranks.
  template <typename Write, typename Read>
  void pieces(std::size_t piece, Write write, Read read) {
    const std::size_t longest = (count_ + p_ - 1) / p_;
    const long number = static_cast<long>((longest + piece - 1) / piece), base = position_;
    long next = 0;
    const auto publish = [&] {
      for (; next < number; ++next) {
        const long at = base + next;
        for (int r = 0; r < p_; ++r)
          if (!ranks_[r].passed.has(at - variant_->slots + 1)) return;
        write(slot(own_, at), piece * next);
        ranks_[own_].published.raise(at + 1);
      }
    };
    publish();
    for (long i = 0; i < number; ++i) {
      for (int k = 1; k < p_; ++k) {
        const int from = (own_ + k) % p_;
        wait([&] {
          publish();
          return ranks_[from].published.has(base + i + 1);
        });
        read(from, slot(from, base + i), piece * i);
      }
      ranks_[own_].passed.raise(base + i + 1);
    }
    wait([&] {
      publish();
      return next == number;
    });
    position_ = base + number;
  }
  double* slot(int rank, long at) const {
    return reinterpret_cast<double*>(slots_ + part_ * rank +
                                     variant_->slot_bytes *
                                         static_cast<std::size_t>(at % variant_->slots));
  }

  void by_copies() {
    const auto all = [&](Flag Rank::*flag, long at) {
      (ranks_[own_].*flag).raise(at);
      for (int r = 0; r < p_; ++r) wait([&] { return (ranks_[r].*flag).has(at); });
    };
    const std::size_t first = begin(own_), n = length(own_);
    all(&Rank::published, ++position_);
    double* const into = out_.data() + first;
    std::memcpy(into, in_.data() + first, n * sizeof(double));
    for (int k = 1; k < p_; ++k) {
      const int from = (own_ + k) % p_;
      fetch(from, ranks_[from].contribution + first, aside_.data(), n);
      add(into, into, aside_.data(), n);
    }
    all(&Rank::published, ++position_);
    for (int k = 1; k < p_; ++k) {
      const int from = (own_ + k) % p_;
      fetch(from, ranks_[from].result + begin(from), out_.data() + begin(from), length(from));
    }
    all(&Rank::passed, position_);
  }
  void fetch(int rank, const double* from, double* into, std::size_t n) const {
    const iovec here{into, n * sizeof(double)};
    const iovec there{const_cast<double*>(from), n * sizeof(double)};
    if (n > 0 && process_vm_readv(ranks_[rank].process, &here, 1, &there, 1, 0) < 0) {
      std::perror("crowded: process_vm_readv");
      end();
    }
  }

  Rank* ranks_;
  char* slots_;
  std::size_t part_;
  int p_, own_;
  std::vector<double> in_, out_, aside_;
  std::size_t count_ = 0;
  const Variant* variant_ = nullptr;
  long position_ = 0, meetings_ = 0;
};

void* shared_memory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("crowded: mmap");
    std::exit(1);
  }
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  const int p = argc > 1 ? std::atoi(argv[1]) : 0;
  std::vector<std::size_t> sizes;
  for (int each = 2; each < argc; ++each) sizes.push_back(std::strtoull(argv[each], nullptr, 10));
  if (sizes.empty()) sizes = {4096, 16384, 65536, 262144, 1048576, 4194304};
  if (p < 2 || p > most_ranks || std::ranges::count(sizes, 0U) > 0) {
    std::fputs("crowded: needs 2 to 64 ranks, and sizes in bytes: crowded 4 16384 65536\n", stderr);
    return 2;
  }
  const std::array variants{Variant{"4x8K", 4, 8 << 10}, Variant{"4x32K", 4, 32 << 10},
                            Variant{"2x64K", 2, 64 << 10}, Variant{"copies", 0, 0}};
  constexpr std::size_t part = 128 << 10;
  auto* const ranks = static_cast<Rank*>(shared_memory(sizeof(Rank) * p));
  for (int r = 0; r < p; ++r) new (&ranks[r]) Rank;
  auto* const slots = static_cast<char*>(shared_memory(part * p));
  int own = 0;
  for (int r = 1; r < p && own == 0; ++r) {
    const pid_t child = fork();
    if (child < 0) {
      std::perror("crowded: fork");
      return 1;  // the other processes end with this one
    }
    if (child > 0) continue;
    own = r;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  Member member(ranks, slots, part, p, own, std::ranges::max(sizes) / sizeof(double) + 1);
  for (const std::size_t bytes : sizes) {
    if (own == 0) std::printf("%zu", bytes);
    for (const Variant& variant : variants) {
      const double time = member.time(variant, bytes);
      if (own == 0) std::printf(" %s %.1f", variant.name.c_str(), time);
    }
    if (own == 0) std::puts("");
    if (own == 0) std::fflush(stdout);
  }
  if (own != 0) std::_Exit(0);
  for (int r = 1; r < p; ++r) wait(nullptr);
}
