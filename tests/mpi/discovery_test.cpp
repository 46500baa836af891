// The ranks discover together where they run. All of them are on one node here; TOCCATA_TOPOLOGY
// simulates other nodes.

#include "mpi/agreement/discovery.h"

#include <cstdio>
#include <fstream>
#include <numeric>

#include "mpi/communicator/communicator.h"
#include "support.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata::test {
namespace {

struct Found {
  Placement placement;
  std::string complaint;
};

// Discovers locations as a process without earlier results, and with or without open operations.
Found find_out(MPI_Comm comm, const TopologySetting& setting = {}, int lowest_on_node = -1,
               bool busy = false) {
  struct Nothing final : Background {
    explicit Nothing(bool busy) { active_count_ = busy ? 1 : 0; }
    int progress() override { return 0; }
  } nothing(busy);
  const OwnedComm own = duplicate(comm);
  std::string complaint;
  const auto placement =
      discover({own, nothing, false}, Surroundings(setting), lowest_on_node, complaint);
  return {*placement, complaint};
}

// Checks that all ranks of the communicator have the same placement.
void expect_alike(MPI_Comm comm, const Placement& placement) {
  const std::string mine = text(placement) + " on " + text(placement.machine());
  std::string first(4096, ' ');
  first.replace(0, mine.size(), mine);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, comm);
  EXPECT_EQ(first.substr(0, mine.size()), mine);
  EXPECT_EQ(placement.p(), size_of(comm));
}

std::string host() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  MPI_Get_processor_name(name, &length);
  return name;
}

TEST(Discovery, FindsAllRanksOnThisNode) {
  const Found found = find_out(MPI_COMM_WORLD);
  expect_alike(MPI_COMM_WORLD, found.placement);
  EXPECT_EQ(found.complaint, "");
  EXPECT_EQ(found.placement.machine().name(0), "node");
  EXPECT_EQ(found.placement.regions(0).number(), 1);
}

// Here, the processes pretend that two ranks share a node.
TEST(Discovery, AsksMpiForNodesOnlyIfAProcessDoesNotKnowItsOwn) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  for (const bool busy : {false, true}) {  // busy ranks use host names instead of MPI
    const Found found = find_out(MPI_COMM_WORLD, {}, rank / 2 * 2, busy && rank == 0);
    expect_alike(MPI_COMM_WORLD, found.placement);
    EXPECT_EQ(found.placement.regions(0).number(), (p + 1) / 2);
    const Found asked = find_out(MPI_COMM_WORLD, {}, rank == p - 1 ? -1 : rank / 2 * 2, busy);
    EXPECT_EQ(asked.placement.regions(0).number(), 1);
  }
}

TEST(Discovery, IsOncePerCommunicator) {
  const int rank = rank_in(MPI_COMM_WORLD);
  const OwnedComm half = split(MPI_COMM_WORLD, rank % 2, -rank);
  const auto placement = Communicator::of(half)->placement();
  expect_alike(half, *placement);
  EXPECT_EQ(text(*Communicator::of(half)->placement()), text(*placement));
}

TEST(Discovery, PretendsTheMachineOfTheVariable) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  const TopologySetting setting{.machine = "node:4 socket:2 core:2", .placement = "cyclic-scatter"};
  const Found found = find_out(MPI_COMM_WORLD, setting);
  expect_alike(MPI_COMM_WORLD, found.placement);
  EXPECT_EQ(found.complaint, "");
  const int cores[] = {0, 4, 8, 12, 2, 6, 10, 14};
  for (int each = 0; each < p; ++each)
    EXPECT_EQ(found.placement.place(each), (Place{2, cores[each]}));

  // Half of the ranks, in reversed order, keep their places.
  const OwnedComm half = split(MPI_COMM_WORLD, rank % 2, -rank);
  const Found there = find_out(half, setting);
  expect_alike(half, there.placement);
  const int last = (p - 1) % 2 == rank % 2 ? p - 1 : p - 2;
  for (int each = 0; each < size_of(half); ++each)
    EXPECT_EQ(there.placement.place(each), (Place{2, cores[last - 2 * each]}));
}

TEST(Discovery, PretendsATorus) {
  const int p = size_of(MPI_COMM_WORLD);
  const TopologySetting setting{.machine = "torus:" + std::to_string(p) + " core:2",
                                .placement = "cyclic"};
  const Found found = find_out(MPI_COMM_WORLD, setting);
  const auto grid = grid_of(found.placement);
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(grid->mesh.dims, (std::vector{p}));
}

TEST(Discovery, LeavesOutWhatItCannotUseAndSaysSo) {
  const int p = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  {
    const TopologySetting setting{.machine = "nonsense"};
    EXPECT_EQ(Surroundings(setting).complaints().size(), 1);
    EXPECT_EQ(find_out(MPI_COMM_WORLD, setting).placement.machine().name(0), "node");
  }
  {
    const TopologySetting setting{.placement = "cyclic"};
    EXPECT_EQ(Surroundings(setting).complaints().size(), 1) << "a placement without a machine";
  }
  if (p == 1) return;
  {
    const TopologySetting setting{.machine = "core:1"};
    const Found found = find_out(MPI_COMM_WORLD, setting);
    EXPECT_NE(found.complaint.find("has 1 places"), std::string::npos) << found.complaint;
    expect_alike(MPI_COMM_WORLD, found.placement);
  }
  {
    const TopologySetting setting{.machine = rank == 0 ? "" : "node:2 core:8"};
    const Found found = find_out(MPI_COMM_WORLD, setting);
    EXPECT_NE(found.complaint.find("differs between ranks"), std::string::npos);
    expect_alike(MPI_COMM_WORLD, found.placement);
    EXPECT_EQ(found.placement.regions(0).number(), 1);
  }
}

TEST(Discovery, FindsHostsInAFileByTheirNames) {
  const std::string file = "/tmp/toccata-discovery-" + std::to_string(rank_in(MPI_COMM_WORLD)) +
                           "-" + std::to_string(size_of(MPI_COMM_WORLD)) + ".conf";
  const auto write = [&](const std::string& own) {
    std::ofstream(file) << "SwitchName=s0 Nodes=other[1-3]\nSwitchName=s1 Nodes=another," << own
                        << "\nSwitchName=s2 Switches=s[0-1]\n";
  };
  const TopologySetting setting{.machine = file};
  write(host() + ".domain.example");
  const Found found = find_out(MPI_COMM_WORLD, setting);
  expect_alike(MPI_COMM_WORLD, found.placement);
  EXPECT_EQ(found.complaint, "");
  const Machine& machine = found.placement.machine();
  EXPECT_EQ(machine.find("node"), 2);
  EXPECT_EQ(machine.find("leaf"), 1);
  for (int rank = 0; rank < found.placement.p(); ++rank) {
    const Place& place = found.placement.place(rank);
    EXPECT_EQ(machine.ancestor(place.level, place.object, 2), 4);
  }

  write("unknown");
  const Found lost = find_out(MPI_COMM_WORLD, setting);
  EXPECT_NE(lost.complaint.find("the host of rank 0 is not among the nodes"), std::string::npos);
  EXPECT_EQ(lost.placement.machine().name(0), "node");
  std::remove(file.c_str());
}

TEST(Discovery, TakesTheMeshOfACartesianCommunicator) {
  int dims[] = {0, 0};
  const int periods[] = {1, 0};
  MPI_Dims_create(size_of(MPI_COMM_WORLD), 2, dims);
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made);
  const OwnedComm comm(made);
  const auto grid = cartesian_grid(comm);
  ASSERT_NE(grid, nullptr);
  EXPECT_EQ(grid->mesh.dims, (std::vector{dims[0], dims[1]}));
  EXPECT_EQ(grid->mesh.periodic, (std::vector{true, false}));
  const int rank = rank_in(comm);
  int coordinates[2];
  MPI_Cart_coords(comm, rank, 2, coordinates);
  EXPECT_EQ(grid->mesh.cell({coordinates[0], coordinates[1]}), rank);
  EXPECT_EQ(cartesian_grid(MPI_COMM_WORLD), nullptr);
  EXPECT_EQ(cartesian_grid(MPI_COMM_NULL), nullptr);
}

// Rank 0 requests locations before it waits. The other ranks first wait for a call of rank 0.
TEST(Discovery, LetsNonblockingCallsGoOn) {
  const int rank = rank_in(MPI_COMM_WORLD), p = size_of(MPI_COMM_WORLD);
  const OwnedComm one = duplicate(MPI_COMM_WORLD), other = duplicate(MPI_COMM_WORLD);
  std::vector<int> all(p);
  toccata_request request;
  toccata_iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, one, "ring", &request);
  if (rank == 0) Communicator::of(other)->placement();
  toccata_wait(&request);
  if (rank != 0) Communicator::of(other)->placement();
  for (int each = 0; each < p; ++each) EXPECT_EQ(all[each], each);
  expect_alike(other, *Communicator::of(other)->placement());
}

}  // namespace
}  // namespace toccata::test
