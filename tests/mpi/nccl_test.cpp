// Allreduces by a substitute for NCCL or RCCL (nccl.c): TOCCATA_ALLREDUCE=nccl, with the substitute
// for CUDA or HIP. The MPI library accepts device memory (aware.c).

#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <optional>
#include <string_view>

#include "devices.h"
#include "support.h"

namespace toccata::test {
namespace {

int asked(const char* name) {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  return reinterpret_cast<int (*)()>(dlsym(library, name))();
}
int launches() { return asked("stand_in_nccl_launches"); }

class NcclTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const wanted = std::getenv("TOCCATA_ALLREDUCE");
    if (!has_devices() || wanted == nullptr || std::string_view(wanted) != "nccl")
      GTEST_SKIP() << "requires DEVICES and TOCCATA_ALLREDUCE=nccl";
  }

  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  // If all ranks share one device, NCCL is refused.
  const bool refuses = std::getenv("SAME_DEVICE") != nullptr || p == 1;
};

template <typename Element>
std::vector<Element> operands(int rank, int n) {
  std::vector<Element> result(n);
  for (int i = 0; i < n; ++i) result[i] = static_cast<Element>(1 + (rank + i) % 3);
  return result;
}

// Computes each element from those of all ranks, in the order of ranks.
template <typename Element, typename Combine>
std::vector<Element> expected(int p, int n, Combine&& combine) {
  std::vector<Element> result = operands<Element>(0, n);
  for (int other = 1; other < p; ++other)
    for (int i = 0; i < n; ++i) result[i] = combine(result[i], operands<Element>(other, n)[i]);
  return result;
}

template <typename Element, typename Combine>
void expect_result(MPI_Comm comm, MPI_Datatype type, MPI_Op operation, bool on_device,
                   bool in_place, Combine&& combine) {
  static constexpr int n = 101;
  const int p = size_of(comm);
  const std::vector<Element> mine = operands<Element>(rank_in(comm), n);
  std::vector<Element> got = in_place ? mine : std::vector<Element>(n, 99);
  std::vector<Element> sent = mine;
  std::optional<DeviceMemory> in, out;
  if (on_device) {
    in.emplace(sent.data(), n * sizeof(Element));
    out.emplace(got.data(), n * sizeof(Element));
  }
  const void* const source = in_place ? MPI_IN_PLACE : on_device ? in->address() : sent.data();
  EXPECT_EQ(toccata_allreduce(source, on_device ? out->address() : got.data(), n, type, operation,
                              comm, nullptr),
            MPI_SUCCESS);
  if (on_device) out->read(got.data());
  EXPECT_EQ(got, expected<Element>(p, n, combine));
}

TEST_F(NcclTest, ServesWhatItKnows) {
  const int before = launches();
  for (const bool in_place : {false, true}) {
    expect_result<float>(MPI_COMM_WORLD, MPI_FLOAT, MPI_SUM, true, in_place, std::plus<>());
    expect_result<double>(MPI_COMM_WORLD, MPI_DOUBLE, MPI_PROD, true, in_place,
                          std::multiplies<>());
    expect_result<int>(MPI_COMM_WORLD, MPI_INT, MPI_MAX, true, in_place,
                       [](int a, int b) { return std::max(a, b); });
    expect_result<unsigned char>(MPI_COMM_WORLD, MPI_UINT8_T, MPI_MIN, true, in_place,
                                 [](unsigned char a, unsigned char b) { return std::min(a, b); });
  }
  EXPECT_EQ(launches() - before, refuses ? 0 : 8);
}

TEST_F(NcclTest, LeavesTheRestToMpi) {
  const int before = launches();
  expect_result<float>(MPI_COMM_WORLD, MPI_FLOAT, MPI_SUM, false, false, std::plus<>());
  expect_result<int>(MPI_COMM_WORLD, MPI_INT, MPI_BOR, true, false, std::bit_or<>());
  expect_result<short>(MPI_COMM_WORLD, MPI_SHORT, MPI_SUM, true, false, std::plus<>());
  // Each rank only has the location of its own buffer.
  if (p > 1)
    expect_result<int>(MPI_COMM_WORLD, MPI_INT, MPI_SUM, rank == p - 1, false, std::plus<>());
  EXPECT_EQ(launches() - before, 0);
  expect_result<int>(MPI_COMM_WORLD, MPI_INT, MPI_SUM, true, false, std::plus<>());
  EXPECT_EQ(launches() - before, refuses ? 0 : 1);
}

TEST_F(NcclTest, HasOneCommunicatorPerCommunicator) {
  const int before = asked("stand_in_nccl_open");
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  const bool alone = size_of(half) == 1 || refuses;
  for (int time = 0; time < 3; ++time)
    expect_result<int>(half, MPI_INT, MPI_SUM, true, time == 1, std::plus<>());
  EXPECT_EQ(asked("stand_in_nccl_open") - before, alone ? 0 : 1);
  MPI_Comm_free(&half);
  EXPECT_EQ(asked("stand_in_nccl_open"), before);
}

}  // namespace
}  // namespace toccata::test
