#include "choices/choice.h"
#include "patterns/arithmetic.h"
#include "proofs/verify.h"
#include "support.h"

namespace toccata {
namespace {

using test::expand;

std::vector<Schedule> with_late(int p, int late, const std::string& settings) {
  const Choice choice =
      parse_choice(allreduce, "late:late=" + std::to_string(late) + "," + settings);
  return test::schedules(*choice.algorithm, choice.in({.p = p}));
}

std::size_t blocks(const Schedule& schedule, std::span<const Message> messages) {
  std::size_t number = 0;
  for (const Message& each : messages) number += expand(schedule.ranges(each)).size();
  return number;
}

// The rounds in which a rank has messages.
std::vector<int> busy(const Schedule& schedule) {
  std::vector<int> rounds;
  for (int round = 0; round < schedule.rounds(); ++round)
    if (!schedule.sends(round).empty() || !schedule.recvs(round).empty()) rounds.push_back(round);
  return rounds;
}

TEST(Late, TheOthersReduceBeforeItArrives) {
  for (int p = 2; p <= 20; ++p)
    for (const int late : {0, p / 2, p - 1}) {
      const int before = ceil_log2(p - 1);
      const std::vector<Schedule> all = with_late(p, late, "radix=8");
      for (int rank = 0; rank < p; ++rank)
        for (int round = 0; round < before; ++round) {
          const auto sends = all[rank].sends(round), recvs = all[rank].recvs(round);
          EXPECT_TRUE(rank != late || (sends.empty() && recvs.empty())) << p << ", " << late;
          EXPECT_EQ(std::ranges::find(sends, late, &Message::peer), sends.end());
          EXPECT_EQ(std::ranges::find(recvs, late, &Message::peer), recvs.end());
        }
    }
}

// With a radix of at least p, it sends a piece to each other rank, then receives a sum from each.
TEST(Late, SendsAndReceivesTheVectorOnce) {
  for (int p = 2; p <= 20; ++p)
    for (const int late : {0, p / 2, p - 1}) {
      const Schedule own = with_late(p, late, "radix=1048576")[late];
      std::size_t sent = 0, received = 0;
      for (int round = 0; round < own.rounds(); ++round) {
        sent += blocks(own, own.sends(round));
        received += blocks(own, own.recvs(round));
        for (const Step& each : own.steps(round)) EXPECT_FALSE(each.reduces);
      }
      EXPECT_EQ(sent, p - 1) << "p = " << p << ", rank " << late;
      EXPECT_EQ(received, p - 1) << "p = " << p << ", rank " << late;
      const std::vector<int> rounds = busy(own);
      ASSERT_EQ(rounds.size(), 2);
      EXPECT_GE(rounds[0], ceil_log2(p - 1));
      EXPECT_EQ(own.sends(rounds[0]).size(), p - 1);
      EXPECT_EQ(own.recvs(rounds[1]).size(), p - 1);
    }
}

// The registry's tests have the first and the last rank, and few radixes.
TEST(Late, IsProvedForEachLateRankAndOddRadixes) {
  for (const int p : {2, 3, 7, 13, 20, 65})
    for (int late = 1; late + 1 < p; late += 1 + p / 16)
      for (const char* settings : {"radix=3", "radix=5,segments=2"}) {
        const Choice choice =
            parse_choice(allreduce, "late:late=" + std::to_string(late) + "," + settings);
        EXPECT_EQ(verify(*choice.algorithm, choice.in({.p = p})), "") << p << ", " << late;
      }
}

TEST(Late, NeedsItsLateRank) {
  const Choice choice = parse_choice(allreduce, "late:late=3");
  EXPECT_NO_THROW(choice.in({.p = 4}));
  EXPECT_THROW(choice.in({.p = 3}), ChoiceError);
}

}  // namespace
}  // namespace toccata
