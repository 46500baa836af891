// What a schedule costs beside a loop written by hand: ring and recursive doubling both ways, in
// one run, taking turns. Two ranks, or any power of two.
//
//   mpirun -n 2 overhead [SAMPLES]

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// Seconds that finding an attribute takes: MPI's only way to keep something with a communicator,
// and so a part of every call that the loop written by hand does not have.
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

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
    std::printf("%-20s %8s %12s %12s %8s %16s\n", "algorithm", "bytes", "hand (us)", "toccata (us)",
                "ratio", "quartiles");
  for (const Pair& pair :
       {Pair{"ring", ring_by_hand}, Pair{"recursive_doubling", recursive_doubling_by_hand}})
    for (int bytes = 8; bytes <= largest; bytes *= 2) {
      // One sample is many calls, so that the clock does not count; then the other one's turn.
      const int calls = std::max(5, 200 - bytes / 512);
      std::vector<double> hand, ours, ratios;
      for (int sample = -5; sample < samples; ++sample) {
        double seconds[2];
        for (int turn = 0; turn < 2; ++turn) {
          const bool by_hand = (turn + sample) % 2 == 0;
          MPI_Barrier(MPI_COMM_WORLD);
          const double started = MPI_Wtime();
          for (int i = 0; i < calls; ++i) {
            if (by_hand)
              pair.by_hand(world, bytes);
            else
              toccata_allgather(world.send, bytes, MPI_CHAR, world.recv, bytes, MPI_CHAR,
                                MPI_COMM_WORLD, pair.name);
          }
          seconds[by_hand ? 0 : 1] = (MPI_Wtime() - started) / calls * 1e6;
        }
        if (sample < 0) continue;
        hand.push_back(seconds[0]);
        ours.push_back(seconds[1]);
        ratios.push_back(seconds[1] / seconds[0]);
      }
      std::ranges::sort(ratios);
      if (world.rank == 0)
        std::printf("%-20s %8d %12.3f %12.3f %8.3f    %.3f ... %.3f\n", pair.name, bytes,
                    median(hand), median(ours), ratios[ratios.size() / 2],
                    ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4]);
    }
  const double lookup = attribute_lookup();
  if (world.rank == 0) std::printf("of which MPI_Comm_get_attr, a call: %.3f us\n", lookup * 1e6);
  MPI_Finalize();
  return 0;
}
