// The cost of a schedule compared with a hand-written loop. One run interleaves ring and recursive
// doubling by hand, by a blocking call, and by a persistent request with arguments bound
// beforehand. The number of ranks must be a power of two.
//
//   mpirun -n 2 overhead [SAMPLES]

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "toccata/toccata.h"

namespace {

struct World {
  int rank, size;
  char* send;
  char* recv;
};

void ring_by_hand(const World& world, int bytes) {
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  const auto block = [&](int i) {
    return world.recv + static_cast<std::size_t>((world.rank - i + 2 * world.size) % world.size) *
                            static_cast<std::size_t>(bytes);
  };
  std::memcpy(block(0), world.send, static_cast<std::size_t>(bytes));
  for (int i = 0; i < world.size - 1; ++i)
    MPI_Sendrecv(block(i), bytes, MPI_CHAR, right, 0, block(i + 1), bytes, MPI_CHAR, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void recursive_doubling_by_hand(const World& world, int bytes) {
  const auto block = [&](int i) {
    return world.recv + static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes);
  };
  std::memcpy(block(world.rank), world.send, static_cast<std::size_t>(bytes));
  for (int distance = 1; distance < world.size; distance *= 2) {
    const int peer = world.rank ^ distance;
    MPI_Sendrecv(block(world.rank & -distance), distance * bytes, MPI_CHAR, peer, 0,
                 block(peer & -distance), distance * bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

// The seconds for the look-up of an attribute. Attributes are MPI's only way to store data with a
// communicator, so every call includes a look-up, but the hand-written loop does not.
double attribute_lookup() {
  int keyval, found = 0, kept = 0;
  void* value = nullptr;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &kept);
  const int calls = 1000000;
  const double started = MPI_Wtime();
  for (int i = 0; i < calls; ++i) MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
  const double seconds = (MPI_Wtime() - started) / calls;
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  return seconds;
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

constexpr int ways = 3;
constexpr int by_hand = 0;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world{};
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  const int samples = argc > 1 ? std::atoi(argv[1]) : 301;
  const int largest = 64 << 10;
  std::vector<char> send(largest), recv(static_cast<std::size_t>(largest) * world.size);
  world.send = send.data();
  world.recv = recv.data();
  if (samples < 1 || (world.size & (world.size - 1)) != 0) {
    if (world.rank == 0)
      std::fprintf(stderr, "overhead: takes a number of samples, and a power of two ranks\n");
    MPI_Finalize();
    return 2;
  }

  struct Pair {
    const char* name;
    void (*by_hand)(const World&, int);
  };
  if (world.rank == 0)
    std::printf("%-20s %6s %9s %9s %6s %15s %11s %6s %15s\n", "algorithm", "bytes", "hand (us)",
                "call (us)", "ratio", "quartiles", "bound (us)", "ratio", "quartiles");
  for (const Pair& pair :
       {Pair{"ring", ring_by_hand}, Pair{"recursive_doubling", recursive_doubling_by_hand}})
    for (int bytes = 8; bytes <= largest; bytes *= 2) {
      toccata_request bound;
      toccata_allgather_init(world.send, bytes, MPI_CHAR, world.recv, bytes, MPI_CHAR,
                             MPI_COMM_WORLD, MPI_INFO_NULL, pair.name, &bound);
      const std::array<std::function<void()>, ways> calls{
          [&] { pair.by_hand(world, bytes); },
          [&] {
            toccata_allgather(world.send, bytes, MPI_CHAR, world.recv, bytes, MPI_CHAR,
                              MPI_COMM_WORLD, pair.name);
          },
          [&] { toccata_run(&bound); }};
      // A sample consists of many calls, so that the clock's resolution does not matter.
      const int repeats = std::max(5, 200 - bytes / 512);
      std::array<std::vector<double>, ways> times, ratios;
      for (int sample = -5; sample < samples; ++sample) {
        std::array<double, ways> seconds;
        for (int turn = 0; turn < ways; ++turn) {
          const int way = (turn + sample + 2 * ways) % ways;
          MPI_Barrier(MPI_COMM_WORLD);
          const double started = MPI_Wtime();
          for (int i = 0; i < repeats; ++i) calls[way]();
          seconds[way] = (MPI_Wtime() - started) / repeats;
        }
        if (sample < 0) continue;
        for (int way = 0; way < ways; ++way) {
          times[way].push_back(seconds[way] * 1e6);
          ratios[way].push_back(seconds[way] / seconds[by_hand]);
        }
      }
      toccata_request_free(&bound);
      if (world.rank != 0) continue;
      std::printf("%-20s %6d %9.3f", pair.name, bytes, quantile(times[by_hand], 0.5));
      for (int way = 1; way < ways; ++way)
        std::printf(" %9.3f %6.3f %6.3f - %6.3f", quantile(times[way], 0.5),
                    quantile(ratios[way], 0.5), quantile(ratios[way], 0.25),
                    quantile(ratios[way], 0.75));
      std::printf("\n");
    }
  const double lookup = attribute_lookup();
  if (world.rank == 0) std::printf("of which MPI_Comm_get_attr, a call: %.3f us\n", lookup * 1e6);
  MPI_Finalize();
  return 0;
}
