// Random schedules that are correct by construction. The proof accepts them, and they give correct
// results on real bytes. If the proof accepts a changed schedule, its results are correct, too.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "proofs/lockstep.h"
#include "proofs/verify.h"
#include "support.h"

namespace toccata {
namespace {

using test::Random;
using test::scratch;

constexpr int most_ranks = 9;

struct Transfer {
  int from, to;
  std::vector<int> blocks;
  bool operator==(const Transfer&) const = default;
};
using Round = std::vector<Transfer>;

BlockRanges ranges(const std::vector<int>& blocks) {
  BlockRanges result;
  for (const int block : blocks) result.push_back(recv(block));
  return result;
}

// Rounds after which all ranks have all blocks, if rank r begins with the blocks `has[r]`. In every
// round, ranks that lack blocks receive some of them, each from one rank that has it.
std::vector<Round> spread(std::vector<std::vector<bool>> has, Random& random) {
  const int p = static_cast<int>(has.size()), blocks = static_cast<int>(has.front().size());
  std::vector<Round> rounds;
  const auto all = [&] {
    return std::ranges::all_of(
        has, [](const auto& each) { return std::ranges::count(each, false) == 0; });
  };
  while (!all()) {
    Round round;
    const std::vector<std::vector<bool>> before = has;
    for (int to = 0; to < p; ++to)
      for (int from = 0; from < p; ++from) {
        Transfer transfer{from, to, {}};
        for (int block = 0; block < blocks; ++block)
          if (before[from][block] && !has[to][block] && random.number(0, 2) == 0) {
            transfer.blocks.push_back(block);
            has[to][block] = true;
          }
        if (!transfer.blocks.empty()) round.push_back(transfer);
      }
    if (!round.empty()) rounds.push_back(round);
  }
  return rounds;
}

void add(std::vector<ScheduleBuilder>& out, const std::vector<Round>& rounds) {
  for (const Round& round : rounds) {
    for (ScheduleBuilder& each : out) each.round();
    for (const Transfer& each : round) {
      out[each.from].send(each.to, ranges(each.blocks));
      out[each.to].recv(each.from, ranges(each.blocks));
    }
  }
}

std::vector<Schedule> built(std::vector<ScheduleBuilder> out) {
  std::vector<Schedule> result;
  for (ScheduleBuilder& each : out) result.push_back(std::move(each).build());
  return result;
}

std::vector<Round> rounds_of_allgather(int p, Random& random) {
  std::vector<std::vector<bool>> own(p, std::vector<bool>(p));
  for (int rank = 0; rank < p; ++rank) own[rank][rank] = true;
  return spread(own, random);
}

std::vector<Schedule> allgather_in(int p, const std::vector<Round>& rounds) {
  std::vector<ScheduleBuilder> out(p);
  for (int rank = 0; rank < p; ++rank) out[rank].round().copy(send(0), recv(rank));
  add(out, rounds);
  return built(std::move(out));
}

// Neighbouring groups of ranks combine their results until there is one group. Either of the two
// ranks that have a result receives the other's. The result then spreads.
std::vector<Schedule> random_allreduce(int p, Random& random) {
  std::vector<ScheduleBuilder> out(p);
  for (ScheduleBuilder& each : out) {
    each.scratch({send(0)});
    each.round().copy(send(0), recv(0));
  }
  std::vector<int> holders(p);  // of the groups' results, in the order of the ranks
  for (int rank = 0; rank < p; ++rank) holders[rank] = rank;
  while (holders.size() > 1) {
    for (ScheduleBuilder& each : out) each.round();
    std::vector<int> next;
    for (std::size_t i = 0; i < holders.size(); ++i) {
      if (i + 1 == holders.size() || random.coin()) {
        next.push_back(holders[i]);
        continue;
      }
      const int lower = holders[i], upper = holders[++i];
      if (random.coin()) {
        out[lower].send(upper, recv(0));
        out[upper].recv(lower, scratch(0)).reduce(scratch(0), recv(0));
        next.push_back(upper);
      } else {
        out[upper].send(lower, recv(0));
        out[lower].recv(upper, scratch(0)).reduce(recv(0), scratch(0)).copy(scratch(0), recv(0));
        next.push_back(lower);
      }
    }
    holders = next;
  }
  std::vector<std::vector<bool>> has(p, std::vector<bool>(1));
  has[holders.front()][0] = true;
  add(out, spread(has, random));
  return built(std::move(out));
}

std::string on_bytes(const Collective& collective, int p, const std::vector<Schedule>& all,
                     Random& random) {
  const ElementType pair{{{0, 2}}, 2};
  const Shape shape{p};
  ByteCall call{.counts = {}, .send_type = pair, .recv_type = pair, .reduction = compose};
  for (int datum = 0; datum < collective.data(shape); ++datum)
    call.counts.push_back(random.number(1, 5));
  return lockstep(collective, shape, all, call);
}

TEST(RandomSchedules, AreProvedAndGiveTheResult) {
  Random random(20261126);
  for (int trial = 0; trial < (test::sanitized ? 100 : 1000); ++trial) {
    const int p = random.number(1, most_ranks);
    const auto gathers = allgather_in(p, rounds_of_allgather(p, random));
    ASSERT_EQ(verify(allgather, {p}, gathers), "") << "trial " << trial;
    ASSERT_EQ(on_bytes(allgather, p, gathers, random), "") << "trial " << trial;
    const auto reduces = random_allreduce(p, random);
    ASSERT_EQ(verify(allreduce, {p}, reduces), "") << "trial " << trial;
    ASSERT_EQ(on_bytes(allreduce, p, reduces, random), "") << "trial " << trial;
  }
}

// A transfer moves to another place: other ranks, another block, another round, or nowhere.
TEST(RandomSchedules, GiveTheResultAfterAChangeThatTheProofAccepts) {
  Random random(20261127);
  int rejected = 0, accepted = 0;
  for (int trial = 0; trial < (test::sanitized ? 200 : 3000); ++trial) {
    const int p = random.number(2, most_ranks);
    const std::vector<Round> original = rounds_of_allgather(p, random);
    std::vector<Round> rounds = original;
    Round& round = rounds[random.number(0, static_cast<int>(rounds.size()) - 1)];
    const int at = random.number(0, static_cast<int>(round.size()) - 1);
    Transfer moved = round[at];
    round.erase(round.begin() + at);
    switch (random.number(0, 3)) {
      case 0:
        moved.from = (moved.to + random.number(1, p - 1)) % p;
        round.push_back(moved);
        break;
      case 1:
        moved.blocks.front() = random.number(0, p - 1);
        round.push_back(moved);
        break;
      case 2:
        rounds[random.number(0, static_cast<int>(rounds.size()) - 1)].push_back(moved);
        break;
      default:
        break;
    }
    if (rounds == original) continue;
    const auto changed = allgather_in(p, rounds);
    const std::string proof = verify(allgather, {p}, changed);
    const std::string bytes = on_bytes(allgather, p, changed, random);
    // The proof may reject what happens to give the result, such as a block that arrives twice.
    if (proof.empty()) {
      ASSERT_EQ(bytes, "") << "trial " << trial;
    }
    (proof.empty() ? accepted : rejected) += 1;
  }
  EXPECT_GT(rejected, accepted);
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace toccata
