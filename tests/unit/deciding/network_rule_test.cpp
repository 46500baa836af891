#include "deciding/network_rule.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "choices/known_shape.h"
#include "choices/shipped_rules.h"
#include "costs/assumed_models.h"
#include "support.h"
#include "writing/registry.h"

namespace toccata {
namespace {

std::string chosen(const Collective& collective, const char* machine, int p, std::int64_t bytes,
                   bool published = false, std::string_view mpi = "open_mpi") {
  const auto ranking = ranking_of_few(collective, known(p, machine), usual_model(), published);
  const auto own = [&](std::int64_t size) {
    return native_algorithm(shipped_rules(mpi), Form::blocking, collective, p, size);
  };
  const auto found = network_rule(*ranking, own, size_range(bytes, collective.reduces));
  return found ? found->choice.text() : "";
}

// Among four nodes, Open MPI's short broadcasts and sums take two rounds. One round with three
// messages is faster with any latency:
//
//   binomial   0 -> 2   then   0 -> 1, 2 -> 3
//   knomial    0 -> 1, 0 -> 2, 0 -> 3
TEST(NetworkRule, SavesARoundAmongFourNodes) {
  for (const std::int64_t bytes : {8, 128, 1024}) {
    EXPECT_EQ(chosen(bcast, "node:4 core:1", 4, bytes), "knomial") << bytes;
    EXPECT_EQ(chosen(allreduce, "node:4 core:1", 4, bytes), "recursive_multiplying") << bytes;
  }
  EXPECT_EQ(chosen(bcast, "node:4 core:1", 4, 64 << 10), "");
}

// There is nothing to gain between two nodes, or without knowledge of the MPI library.
TEST(NetworkRule, LeavesWhatIsNotCertain) {
  for (const Collective* collective : {&bcast, &allreduce, &allgather, &reduce, &barrier})
    EXPECT_EQ(chosen(*collective, "node:2 core:1", 2, 8), "") << collective->name;
  EXPECT_EQ(chosen(bcast, "node:4 core:1", 4, 8, false, "intel_mpi"), "");
}

// Inside nodes, messages may be published; this changes neither the decision nor the operands'
// order.
TEST(NetworkRule, PublishesInsideNodesWhereThatIsFaster) {
  EXPECT_EQ(chosen(allreduce, "node:8 core:16", 128, 128),
            "hierarchical:between=recursive_multiplying");
  EXPECT_EQ(chosen(allreduce, "node:8 core:16", 128, 128, true),
            "hierarchical:between=recursive_multiplying,travel=published");
  for (const Collective* collective : {&allreduce, &reduce, &allgather, &bcast})
    for (const std::int64_t bytes : {8, 1024, 32768}) {
      std::string with = chosen(*collective, "node:8 core:16", 128, bytes, true);
      for (const char* const word : {",travel=published", ":travel=published"})
        if (const auto at = with.find(word); at != with.npos) with.erase(at);
      EXPECT_EQ(with, chosen(*collective, "node:8 core:16", 128, bytes))
          << collective->name << ' ' << bytes;
    }
}

TEST(NetworkRule, ConcernsShortSumsAndMostOtherCollectives) {
  EXPECT_TRUE(network_rule_concerns(allreduce, 4, 64 << 10, true));
  EXPECT_FALSE(network_rule_concerns(allreduce, 4, (64 << 10) + 1, true));
  EXPECT_TRUE(network_rule_concerns(allreduce, 4, 1 << 20, false));
  EXPECT_FALSE(network_rule_concerns(reduce_scatter, 4, 8, false));
  EXPECT_FALSE(network_rule_concerns(allreduce, 2, 8, true));
  EXPECT_FALSE(network_rule_concerns(allreduce, 1024, 8, true));
  EXPECT_FALSE(network_rule_concerns(scan, 4, 8, true));
  EXPECT_FALSE(network_rule_concerns(gather, 4, 8, false));
  EXPECT_FALSE(network_rule_concerns(alltoallv, 4, -1, false));
}

// Among neighbours, the rival is known: one message per edge. All-to-alls of long blocks send as
// many bytes between nodes as native, so nothing is certain there.
TEST(NetworkRule, CombinesBlocksOfNeighbors) {
  const auto chosen = [](const Collective& collective, const char* machine, int p,
                         std::int64_t bytes, std::string_view mpi = "open_mpi") {
    Shape shape = known(p, machine);
    shape.neighborhood = test::everyone(p);
    const auto ranking = ranking_of_few(collective, shape, usual_model(), true);
    const auto found =
        neighbor_rule(*ranking, NetworkKind::any, collective, p, bytes, shipped_rules(mpi));
    return found ? found->choice.text() : "";
  };
  for (const Collective* collective :
       {&neighbor_allgather, &neighbor_allgatherv, &neighbor_alltoall, &neighbor_alltoallv}) {
    const bool is_vector = collective->vector_of != nullptr;
    const std::string combined = is_vector ? "combining" : "combining:travel=published";
    EXPECT_EQ(chosen(*collective, "node:2 core:16", 32, 8), combined) << collective->name;
    EXPECT_EQ(chosen(*collective, "node:8 core:64", 512, 8), combined) << collective->name;
    EXPECT_EQ(chosen(*collective, "node:4 core:1", 4, 8), "") << "nothing to combine";
    EXPECT_EQ(chosen(*collective, "node:2 core:16", 32, 8, "mpich"), is_vector ? "" : combined);
  }
  EXPECT_EQ(chosen(neighbor_alltoall, "node:2 core:16", 32, 64 << 10), "");
}

// Every rank sends to all ranks of the next of four nodes, so an allgather sends a quarter of the
// bytes.
TEST(NetworkRule, CombinesIfThatSavesBytesBetweenNodes) {
  Shape shape = known(16, "node:4 core:4");
  std::vector<Neighbors> all;
  for (int rank = 0; rank < 16; ++rank) {
    std::vector<int> above, below;
    for (int i = 0; i < 4; ++i) {
      above.push_back((rank / 4 + 1) % 4 * 4 + i);
      below.push_back((rank / 4 + 3) % 4 * 4 + i);
    }
    all.push_back(Neighbors::in_graph(below, above));
  }
  shape.neighborhood = std::make_shared<const Neighborhood>(std::move(all));
  const auto chosen = [&](const Collective& collective, NetworkKind network) {
    const auto ranking = ranking_of_few(collective, shape, usual_model(), false);
    const auto found = neighbor_rule(*ranking, network, collective, 16, 1024, nullptr);
    return found ? found->choice.text() : "";
  };
  EXPECT_EQ(chosen(neighbor_allgather, NetworkKind::ethernet), "combining");
  EXPECT_EQ(chosen(neighbor_allgather, NetworkKind::any), "") << "loses with a fast network";
  EXPECT_EQ(chosen(neighbor_alltoall, NetworkKind::ethernet), "") << "as many bytes";
}

TEST(NetworkRule, HoldsAtOnceForLongMessagesOfManyRanks) {
  EXPECT_TRUE(network_rule_holds_at_once(bcast, 8, 256 << 10, false));
  EXPECT_FALSE(network_rule_holds_at_once(bcast, 8, 128 << 10, false));
  EXPECT_FALSE(network_rule_holds_at_once(bcast, 7, 256 << 10, false));
  EXPECT_FALSE(network_rule_holds_at_once(allreduce, 8, 256 << 10, true)) << "a long sum";
}

// With 8 to 15 ranks, Open MPI's broadcast of 4 KiB is binomial, and that of 3 KiB is a k-nomial
// tree, which is as fast as the proposed one. So nothing is certain for the class of both.
TEST(NetworkRule, GainsAtBothEndsOfASizeClass) {
  const auto ranking = ranking_of_few(bcast, known(8, "node:8 core:1"), usual_model(), false);
  const auto own = [](std::int64_t bytes) {
    return native_algorithm(shipped_rules("open_mpi"), Form::blocking, bcast, 8, bytes);
  };
  const auto longest = ranking->surest_gain_over(*own(4096), 4096);
  ASSERT_TRUE(longest);
  EXPECT_LT(ranking->sure_gain(longest->choice, *own(2049), 2049), 1.01);
  EXPECT_FALSE(network_rule(*ranking, own, SizeRange{2049, 4096}));
}

std::string safest(const Collective& collective, const char* machine, int p, std::int64_t bytes,
                   NetworkKind network) {
  const auto ranking = ranking_of_few(collective, known(p, machine), usual_model(), false);
  const auto found =
      network_rule(*ranking, network, collective, p, size_range(bytes, collective.reduces));
  return found ? found->choice.text() : "";
}

// Without knowledge of the MPI library, a choice must not be slower than any of the known
// algorithms. If messages between nodes take long in any case, more choices are safe.
TEST(NetworkRule, HasTheLeastRegretWhateverTheMpiUses) {
  using enum NetworkKind;
  for (const auto network : {any, ethernet}) {
    EXPECT_EQ(safest(bcast, "node:4 core:4", 16, 1024, network), "knomial");
    EXPECT_EQ(safest(alltoall, "node:4 core:4", 16, 64, network), "hierarchical:exchange=linear");
    EXPECT_EQ(safest(bcast, "node:4 core:4", 16, 64 << 10, network), "") << "pipelines or trees";
    EXPECT_EQ(safest(gather, "node:4 core:4", 16, 8, network), "");
    EXPECT_EQ(safest(reduce, "node:16 core:8", 128, 8, network), "") << "more than 64 ranks";
  }
  EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 8, any), "recursive_multiplying");
  EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 8, ethernet),
            "hierarchical:between=recursive_multiplying")
      << "nearly as fast, with fewer messages between nodes";
  EXPECT_EQ(safest(allgather, "node:4 core:4", 16, 4096, any), "");
  EXPECT_EQ(safest(allgather, "node:4 core:4", 16, 4096, ethernet), "locality_bruck");
  EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 4096, any), "");
  EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 4096, ethernet),
            "hierarchical:between=recursive_multiplying");
}

// Sums of up to 48 KiB and of up to 64 KiB are decided apart, because only the longer ones are
// safe: at 32 KiB, with 100 Gb/s, recursive doubling takes less time than Rabenseifner's algorithm.
TEST(NetworkRule, DividesTheSizesOfSums) {
  using enum NetworkKind;
  for (const auto network : {any, ethernet}) {
    EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 64 << 10, network), "rabenseifner");
    EXPECT_EQ(safest(allreduce, "node:4 core:4", 16, 48 << 10, network), "");
    EXPECT_EQ(safest(reduce, "node:4 core:4", 16, 64 << 10, network), "reduce_scatter_gather");
    EXPECT_EQ(safest(reduce, "node:4 core:4", 16, 48 << 10, network), "");
  }
}

TEST(SizeRange, ContainsItsSizesWithoutGaps) {
  for (const bool keeps_order : {false, true})
    for (std::int64_t bytes = 0, least = 0; bytes <= 5000; ++bytes) {
      const SizeRange range = size_range(bytes, keeps_order);
      EXPECT_EQ(range.least, least) << bytes;
      EXPECT_GE(range.most, bytes);
      EXPECT_LE(range.most, std::max<std::int64_t>(1, 2 * (range.least - 1))) << bytes;
      if (bytes == range.most) least = bytes + 1;
    }
  EXPECT_EQ(size_range(40'000, false).most, 65536);
  EXPECT_EQ(size_range(40'000, true).most, 49152);
  EXPECT_EQ(size_range(50'000, true).least, 49153);
}

// A known machine has a model of its own, and therefore trials.
TEST(NetworkRule, IsForUnknownMachines) {
  Model own = usual_model();
  own.levels[0].eager.alpha *= 2;
  const auto ranking = ranking_of_few(bcast, known(4, "node:4 core:1"), own, false);
  const auto binomial = [](std::int64_t) { return parse_choice(bcast, "binomial"); };
  EXPECT_FALSE(network_rule(*ranking, binomial, SizeRange{5, 8}));
}

}  // namespace
}  // namespace toccata
