// Buffers in the memory of a substitute for a GPU (cuda.c). If DEVICES is set, all other tests use
// such buffers, too. This file contains the remaining cases, such as nonblocking and persistent
// calls.

#include "devices.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

#include "aware.h"
#include "mpi/devices/device_memory.h"
#include "mpi/devices/device_support.h"
#include "support.h"

namespace toccata::test {
namespace {

class Devices : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_devices()) GTEST_SKIP() << "requires DEVICES, the substitute for a GPU runtime";
  }

  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
};

// Integers that may be on the device.
class Integers {
 public:
  Integers(std::vector<int> values, bool on_device) : values_(std::move(values)) {
    if (on_device) device_.emplace(values_.data(), values_.size() * sizeof(int));
  }
  void* address() { return device_ ? device_->address() : values_.data(); }
  void set(const std::vector<int>& values) {
    values_ = values;
    if (device_) device_->write(values_.data());
  }
  const std::vector<int>& values() {
    if (device_) device_->read(values_.data());
    return values_;
  }

 private:
  std::vector<int> values_;
  std::optional<DeviceMemory> device_;
};

TEST_F(Devices, NonblockingCallsOverlap) {
  static constexpr int calls = 6, n = 50;
  std::vector<std::unique_ptr<Integers>> mine, all, sums;
  std::vector<toccata_request> requests(2 * calls, TOCCATA_REQUEST_NULL);
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  const int before = device_transfers();
  for (int call = 0; call < calls; ++call) {
    const Numbers numbers{n, call};
    const auto there = [&](int which) { return (rank + call + which) % 2 == 0; };
    mine.push_back(std::make_unique<Integers>(numbers.of(rank), there(0)));
    all.push_back(std::make_unique<Integers>(std::vector(std::size_t(n) * p, -1), there(1)));
    sums.push_back(std::make_unique<Integers>(numbers.of(rank), there(0)));
    EXPECT_EQ(toccata_iallgather(mine[call]->address(), n, MPI_INT, all[call]->address(), n,
                                 MPI_INT, comm, "ring", &requests[2 * call]),
              MPI_SUCCESS);
    EXPECT_EQ(toccata_iallreduce(MPI_IN_PLACE, sums[call]->address(), n, MPI_INT, MPI_SUM, comm,
                                 "recursive_doubling", &requests[2 * call + 1]),
              MPI_SUCCESS);
  }
  EXPECT_EQ(toccata_waitall(2 * calls, requests.data()), MPI_SUCCESS);
  for (int call = 0; call < calls; ++call) {
    const Numbers numbers{n, call};
    EXPECT_EQ(all[call]->values(), numbers.of_all(p));
    EXPECT_EQ(mine[call]->values(), numbers.of(rank));
    std::vector<int> sum(n, 0);
    for (int each = 0; each < p; ++each)
      for (int i = 0; i < n; ++i) sum[i] += numbers.value(each, i);
    EXPECT_EQ(sums[call]->values(), sum);
  }
  // Half of the allgathers' sources and results, and half of the sums in both directions.
  EXPECT_EQ(device_transfers() - before, calls + calls);
}

TEST_F(Devices, PersistentCallsReadTheirBuffersAtEveryStart) {
  static constexpr int n = 7;
  const Numbers first{n, 0};
  Integers mine(first.of(rank), rank % 2 == 0),
      all(std::vector(std::size_t(n) * p, -1), rank % 3 == 0);
  toccata_request request;
  ASSERT_EQ(toccata_allgather_init(mine.address(), n, MPI_INT, all.address(), n, MPI_INT,
                                   MPI_COMM_WORLD, MPI_INFO_NULL, "bruck", &request),
            MPI_SUCCESS);
  for (int call = 0; call < 6; ++call) {
    const Numbers numbers{n, call};
    mine.set(numbers.of(rank));
    all.set(std::vector(std::size_t(n) * p, -1));
    if (call % 2 == 0) {
      EXPECT_EQ(toccata_run(&request), MPI_SUCCESS);
    } else {
      EXPECT_EQ(toccata_start(&request), MPI_SUCCESS);
      EXPECT_EQ(toccata_wait(&request), MPI_SUCCESS);
    }
    EXPECT_EQ(all.values(), numbers.of_all(p)) << call;
  }
  EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
}

// In place, the receive buffer contains all operands, and the result replaces the first of them.
TEST_F(Devices, ReduceScatterInPlace) {
  for (const bool vector : {false, true})
    for (const char* algorithm : {"ring", "pairwise"}) {
      std::vector<int> counts(p, 3), operands;
      if (vector)
        for (int each = 0; each < p; ++each) counts[each] = 1 + each % 3;
      int total = 0, before = 0;
      for (int each = 0; each < p; ++each) {
        if (each == rank) before = total;
        total += counts[each];
      }
      for (int i = 0; i < total; ++i) operands.push_back(1000 * rank + i);
      Integers buffer(operands, rank % 2 == 1);
      const int code =
          vector ? toccata_reduce_scatter(MPI_IN_PLACE, buffer.address(), counts.data(), MPI_INT,
                                          MPI_SUM, MPI_COMM_WORLD, algorithm)
                 : toccata_reduce_scatter_block(MPI_IN_PLACE, buffer.address(), 3, MPI_INT, MPI_SUM,
                                                MPI_COMM_WORLD, algorithm);
      EXPECT_EQ(code, MPI_SUCCESS) << algorithm;
      const std::vector<int>& got = buffer.values();
      for (int i = 0; i < counts[rank]; ++i)
        EXPECT_EQ(got[i], 1000 * p * (p - 1) / 2 + p * (before + i)) << algorithm;
    }
}

// The messages are the same for all locations of buffers, even if these differ between ranks. If
// MPI accepts device memory, algorithms that only move data make no copies except their local ones.
TEST_F(Devices, MessagesAreTheSameAsWithoutThem) {
  if (!messages_so_far().known) GTEST_SKIP() << "messages are not counted here";
  static constexpr int n = 300;
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  struct Job {
    const char* algorithm;
    int own_copies;  // from send to recv, or from scratch; -1: packs or reduces
    std::function<int(void* send, void* recv, const char* algorithm)> run;
  };
  const auto allgather = [&](void* send, void* recv, const char* algorithm) {
    return toccata_allgather(send, n, MPI_INT, recv, n, MPI_INT, comm, algorithm);
  };
  const auto alltoall = [&](void* send, void* recv, const char* algorithm) {
    return toccata_alltoall(send, n, MPI_INT, recv, n, MPI_INT, comm, algorithm);
  };
  const auto bcast = [&](void*, void* recv, const char* algorithm) {
    return toccata_bcast(recv, n, MPI_INT, 0, comm, algorithm);
  };
  const auto allreduce = [&](void* send, void* recv, const char* algorithm) {
    return toccata_allreduce(send, recv, n, MPI_INT, MPI_SUM, comm, algorithm);
  };
  const auto run = [&](const Job& job, bool sends_there, bool receives_there) {
    std::vector<int> numbers(std::size_t(n) * p);
    for (int i = 0; i < n * p; ++i) numbers[i] = 10'000 * rank + i;
    Integers send(numbers, sends_there), recv(numbers, receives_there);
    EXPECT_EQ(job.run(send.address(), recv.address(), job.algorithm), MPI_SUCCESS);
    return recv.values();
  };
  for (const Job& job : {Job{"ring", 1, allgather}, Job{"pairwise", 1, alltoall},
                         Job{"bruck_radix", -1, alltoall}, Job{"binomial", 0, bcast},
                         Job{"scatter_allgather", 0, bcast}, Job{"ring", -1, allreduce}}) {
    run(job, false, false);  // creates plans and channels
    const Messages at_first = messages_so_far();
    const std::vector<int> expected = run(job, false, false);
    const Messages without = messages_so_far();
    for (int where = 1; where < 4; ++where) {
      const int which = (where + rank) % 4;
      const bool sends_there = which % 2 == 1, receives_there = which >= 2;
      const int transfers = device_transfers();
      const Messages before = messages_so_far();
      EXPECT_EQ(run(job, sends_there, receives_there), expected) << job.algorithm;
      const Messages after = messages_so_far();
      EXPECT_EQ(after.number - before.number, without.number - at_first.number) << job.algorithm;
      EXPECT_EQ(after.digest - before.digest, without.digest - at_first.digest) << job.algorithm;
      if (job.own_copies < 0) {
        EXPECT_EQ(after.from_devices, before.from_devices) << job.algorithm;
      } else {
        EXPECT_LE(device_transfers() - transfers, job.own_copies) << job.algorithm;
        if (receives_there && p > 1) {
          EXPECT_GT(after.from_devices, before.from_devices) << job.algorithm;
        }
      }
    }
  }
}

TEST_F(Devices, ManagedMemoryIsTheHosts) {
  static constexpr int n = 9;
  const Numbers numbers{n, 0};
  const std::vector<int> own = numbers.of(rank);
  const ManagedMemory mine(n * sizeof(int)), all(std::size_t(n) * p * sizeof(int));
  std::ranges::copy(own, static_cast<int*>(mine.address()));
  const int before = device_transfers();
  EXPECT_EQ(toccata_allgather(mine.address(), n, MPI_INT, all.address(), n, MPI_INT, MPI_COMM_WORLD,
                              "ring"),
            MPI_SUCCESS);
  const int* const got = static_cast<int*>(all.address());
  EXPECT_EQ(std::vector(got, got + std::ptrdiff_t(n) * p), numbers.of_all(p));
  EXPECT_EQ(device_transfers() - before, 0);
}

// A query of CUDA's driver takes longer than a short collective.
TEST_F(Devices, TheProgramsOwnMemoryNeedsNoQuery) {
  static int fixed[2];
  int on_stack[2];
  std::vector<int> on_heap(2);
  const std::size_t page = 4096;
  int* const mapped = static_cast<int*>(
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  const DeviceMemory device(on_stack, sizeof on_stack);  // so that there is a runtime
  for (const char* algorithm : {"shared", "binomial"})
    for (int* const buffer : {fixed, on_stack, on_heap.data(), mapped}) {
      buffer[0] = rank == 0 ? 5 : 0;
      const int before = device_queries();
      EXPECT_EQ(toccata_bcast(buffer, 1, MPI_INT, 0, MPI_COMM_WORLD, algorithm), MPI_SUCCESS);
      EXPECT_EQ(buffer[0], 5);
      if (p == 1) continue;
      if (buffer == mapped)
        EXPECT_GT(device_queries(), before);
      else
        EXPECT_EQ(device_queries(), before);
    }
  munmap(mapped, page);
}

// A column of a matrix: the rest of the matrix may change on the device during the call.
TEST_F(Devices, OnlyDataIsWritten) {
  static constexpr int rows = 5, columns = 7;
  MPI_Datatype made;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &made);
  const OwnedDatatype column = committed(made);
  Integers matrix(std::vector(rows * columns, rank == 0 ? 1 : 0), true);
  toccata_request request;
  ASSERT_EQ(toccata_bcast_init(matrix.address(), 1, column.get(), 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                               "binomial", &request),
            MPI_SUCCESS);
  ASSERT_EQ(toccata_start(&request), MPI_SUCCESS);
  std::vector<int> meanwhile(rows * columns, 9);
  for (int row = 0; row < rows; ++row) meanwhile[row * columns] = rank == 0 ? 1 : 0;
  matrix.set(meanwhile);
  ASSERT_EQ(toccata_wait(&request), MPI_SUCCESS);
  for (int row = 0; row < rows; ++row) meanwhile[row * columns] = 1;
  EXPECT_EQ(matrix.values(), meanwhile);
  EXPECT_EQ(toccata_request_free(&request), MPI_SUCCESS);
}

// MPI libraries load runtimes on machines without a GPU. In its own job, before any test
// initialises the runtime.
TEST_F(Devices, AreThereOnceTheProgramHasInitialisedThem) {
  if (std::getenv("NO_DEVICE") == nullptr) GTEST_SKIP() << "requires NO_DEVICE at the start";
  const auto found = [] {
    usleep(1000);  // has_device_runtime() looks at intervals
    EXPECT_EQ(device_runtimes().empty(), !has_device_runtime());
    return device_runtimes().size();
  };
  EXPECT_EQ(found(), 0u);
  unsetenv("NO_DEVICE");
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(device_queries(), 0);
  setenv("NO_DEVICE", "1", 1);
  begin_devices();
  EXPECT_EQ(found(), 0u);
  unsetenv("NO_DEVICE");  // as if the program had initialised it only now
  EXPECT_EQ(found(), 1u);
}

TEST(MemoryKinds, AreFoundInTheListOfMpi) {
  EXPECT_TRUE(names_device_memory("mpi,system,cuda", "cuda"));
  EXPECT_TRUE(names_device_memory("cuda:host:device,system", "cuda"));
  EXPECT_FALSE(names_device_memory("mpi,system,cuda:host", "cuda"));
  EXPECT_FALSE(names_device_memory("mpi,system,cuda_like", "cuda"));
  EXPECT_FALSE(names_device_memory("rocm:device", "cuda"));
  EXPECT_TRUE(names_device_memory("system,level_zero:device", "level_zero"));
  EXPECT_FALSE(names_device_memory("", "rocm"));
}

TEST_F(Devices, OfAnotherKindThanTheHostsAreNotTouchedByFaults) {
  const OwnedComm comm = duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  Integers mine({1}, true), all(std::vector(p, -1), true);
  EXPECT_EQ(error_class(toccata_allgather(mine.address(), -1, MPI_INT, all.address(), 1, MPI_INT,
                                          comm, "ring")),
            MPI_ERR_COUNT);
  EXPECT_EQ(all.values(), std::vector(p, -1));
}

}  // namespace
}  // namespace toccata::test
