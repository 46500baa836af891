// Times and memory that grow with the number of ranks. This MPI program does not use Toccata;
// scripts/ranks.py runs it bare and preloaded. Rank 0 prints one line per number, "NAME VALUE",
// which is the maximum over the ranks:
//
//   init_ms, first_ms          MPI_Init; the first collective after it, where ranks agree
//   collectives_ms             all collectives, 8 bytes and 1 KiB, several times each
//   communicator_ms            MPI_Comm_dup, two collectives and MPI_Comm_free; the mean of many
//   heap_AFTER, rss_AFTER      KiB of a rank's heap and of its memory, after each of these: init,
//                              first, collectives, communicators (which all exist at that moment)
//   pss_AFTER                  the same; memory that ranks share counts once; the mean of all ranks
//   wrong                      the number of wrong results of collectives, on all ranks
//
// ranks [CALLS=40] [COMMUNICATORS=1000]

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

int rank, p;

template <class T>
T over_ranks(T value, MPI_Datatype type, MPI_Op op) {
  T all{};
  PMPI_Reduce(&value, &all, 1, type, op, 0, MPI_COMM_WORLD);
  return all;
}

void say(const std::string& name, double value) {
  if (rank == 0) std::printf("%s %.3f\n", name.c_str(), value);
}

void say_most(const std::string& name, double value) {
  say(name, over_ranks(value, MPI_DOUBLE, MPI_MAX));
}

void say_memory(const std::string& after) {
  const struct mallinfo2 info = mallinfo2();
  double rss = 0, pss = 0;
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    if (word == "Rss:") rollup >> rss;
    if (word == "Pss:") rollup >> pss;
  }
  say_most("heap_" + after, static_cast<double>(info.uordblks + info.hblkhd) / 1024);
  say_most("rss_" + after, rss);
  say("pss_" + after, over_ranks(pss, MPI_DOUBLE, MPI_SUM) / p);
}

// Element i of the block from rank `from` for rank `to`.
int value(int from, int to, int i) { return from * 1009 + to * 31 + i; }

// Calls every collective once, with n ints per block. Returns the number of wrong results.
class Calls {
 public:
  explicit Calls(int n)
      : n_(n),
        to_all_(static_cast<std::size_t>(n) * p),
        from_all_(to_all_.size()),
        one_(n),
        counts_(p, n),
        places_(p) {
    for (int r = 0; r < p; ++r) places_[r] = r * n;
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < n; ++i) to_all_[r * n + i] = value(rank, r, i);
  }

  int run() {
    wrong_ = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (const int root : {0, p - 1}) rooted(root);
    clear();
    MPI_Allgather(to_all_.data(), n_, MPI_INT, from_all_.data(), n_, MPI_INT, MPI_COMM_WORLD);
    expect_blocks([](int r, int i) { return value(r, 0, i); });
    MPI_Allgatherv(to_all_.data(), n_, MPI_INT, from_all_.data(), counts_.data(), places_.data(),
                   MPI_INT, MPI_COMM_WORLD);
    expect_blocks([](int r, int i) { return value(r, 0, i); });
    MPI_Alltoall(to_all_.data(), n_, MPI_INT, from_all_.data(), n_, MPI_INT, MPI_COMM_WORLD);
    expect_blocks([](int r, int i) { return value(r, rank, i); });
    MPI_Alltoallv(to_all_.data(), counts_.data(), places_.data(), MPI_INT, from_all_.data(),
                  counts_.data(), places_.data(), MPI_INT, MPI_COMM_WORLD);
    expect_blocks([](int r, int i) { return value(r, rank, i); });
    MPI_Allreduce(to_all_.data(), one_.data(), n_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_one([](int i) { return sum(0, p, 0, i); });
    MPI_Reduce_scatter_block(to_all_.data(), one_.data(), n_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_one([](int i) { return sum(0, p, rank, i); });
    MPI_Reduce_scatter(to_all_.data(), one_.data(), counts_.data(), MPI_INT, MPI_SUM,
                       MPI_COMM_WORLD);
    expect_one([](int i) { return sum(0, p, rank, i); });
    MPI_Scan(to_all_.data(), one_.data(), n_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect_one([](int i) { return sum(0, rank + 1, 0, i); });
    MPI_Exscan(to_all_.data(), one_.data(), n_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) expect_one([](int i) { return sum(0, rank, 0, i); });
    return wrong_;
  }

 private:
  void rooted(int root) {
    for (int i = 0; i < n_; ++i) one_[i] = rank == root ? value(root, 0, i) : -1;
    MPI_Bcast(one_.data(), n_, MPI_INT, root, MPI_COMM_WORLD);
    expect_one([&](int i) { return value(root, 0, i); });
    MPI_Scatter(to_all_.data(), n_, MPI_INT, one_.data(), n_, MPI_INT, root, MPI_COMM_WORLD);
    expect_one([&](int i) { return value(root, rank, i); });
    MPI_Scatterv(to_all_.data(), counts_.data(), places_.data(), MPI_INT, one_.data(), n_, MPI_INT,
                 root, MPI_COMM_WORLD);
    expect_one([&](int i) { return value(root, rank, i); });
    clear();
    MPI_Gather(to_all_.data(), n_, MPI_INT, from_all_.data(), n_, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root) expect_blocks([](int r, int i) { return value(r, 0, i); });
    clear();
    MPI_Gatherv(to_all_.data(), n_, MPI_INT, from_all_.data(), counts_.data(), places_.data(),
                MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root) expect_blocks([](int r, int i) { return value(r, 0, i); });
    MPI_Reduce(to_all_.data(), one_.data(), n_, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) expect_one([](int i) { return sum(0, p, 0, i); });
  }

  // The sum of the values of ranks first to last - 1.
  static int sum(int first, int last, int to, int i) {
    const long ranks = last - first, numbers = (first + last - 1) * ranks / 2;
    return static_cast<int>(numbers * 1009 + ranks * (to * 31L + i));
  }

  void clear() { std::ranges::fill(from_all_, -1); }

  template <class Expected>
  void expect_blocks(Expected expected) {
    for (int r = 0; r < p; ++r)
      for (int i = 0; i < n_; ++i) wrong_ += from_all_[r * n_ + i] != expected(r, i);
    clear();
  }

  template <class Expected>
  void expect_one(Expected expected) {
    for (int i = 0; i < n_; ++i) wrong_ += one_[i] != expected(i);
    std::ranges::fill(one_, -1);
  }

  int n_, wrong_ = 0;
  std::vector<int> to_all_, from_all_, one_, counts_, places_;
};

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 40;
  const int communicators = argc > 2 ? std::atoi(argv[2]) : 1000;
  const auto clock = [] {
    struct timespec now {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
  };
  double begin = clock();
  MPI_Init(&argc, &argv);
  const double init = clock() - begin;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  PMPI_Barrier(MPI_COMM_WORLD);
  long wrong = 0;
  const auto sum = [&](MPI_Comm comm) {
    int ones = 1, all = 0;
    MPI_Allreduce(&ones, &all, 1, MPI_INT, MPI_SUM, comm);
    wrong += all != p;
  };
  say_most("init_ms", init);
  say_memory("init");

  PMPI_Barrier(MPI_COMM_WORLD);
  begin = clock();
  sum(MPI_COMM_WORLD);
  say_most("first_ms", clock() - begin);
  say_memory("first");

  PMPI_Barrier(MPI_COMM_WORLD);
  begin = clock();
  {
    Calls of_8_bytes(2), of_1_kib(256);
    for (int call = 0; call < calls; ++call) wrong += of_8_bytes.run();
    for (int call = 0; call < std::max(1, calls / 10); ++call) wrong += of_1_kib.run();
  }
  say_most("collectives_ms", clock() - begin);
  say_memory("collectives");

  PMPI_Barrier(MPI_COMM_WORLD);
  begin = clock();
  std::vector<MPI_Comm> all(communicators);
  for (MPI_Comm& comm : all) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 2; ++call) sum(comm);
  }
  double taken = clock() - begin;
  say_memory("communicators");
  PMPI_Barrier(MPI_COMM_WORLD);
  begin = clock();
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
  taken += clock() - begin;
  say_most("communicator_ms", taken / std::max(1, communicators));
  say("wrong", static_cast<double>(over_ranks(wrong, MPI_LONG, MPI_SUM)));
  MPI_Finalize();
}
