// The proof must be able to fail, and must name the position. mutation_test.cpp mutates real
// schedules.
#include "proofs/verify.h"

#include <functional>

#include "support.h"

namespace toccata {
namespace {

using test::scratch;
using Write = std::function<void(int rank, ScheduleBuilder& schedule)>;

std::string verify_allgather(int p, const Write& write, bool in_place = false) {
  std::vector<Schedule> all;
  for (int rank = 0; rank < p; ++rank) {
    ScheduleBuilder schedule;
    write(rank, schedule);
    all.push_back(std::move(schedule).build());
  }
  return verify(allgather, {p}, all, in_place);
}

// Two ranks swap their blocks; each test breaks something in it.
void own_block(int rank, ScheduleBuilder& schedule) { schedule.round().copy(send(0), recv(rank)); }
void swap(int rank, ScheduleBuilder& schedule) {
  own_block(rank, schedule);
  schedule.round().send(1 - rank, recv(rank)).recv(1 - rank, recv(1 - rank));
}

// Rank 1 runs other steps than a swap.
std::string if_rank_1(const std::function<void(ScheduleBuilder&)>& write, bool in_place = false) {
  return verify_allgather(
      2, [&](int rank, ScheduleBuilder& out) { rank == 1 ? write(out) : swap(rank, out); },
      in_place);
}

TEST(Verify, AcceptsWhatIsRight) {
  EXPECT_EQ(verify_allgather(2, swap), "");
  EXPECT_EQ(verify_allgather(2, swap, true), "");
}

TEST(Verify, SeesAMissingReceive) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(0, recv(1));
            }),
            "rank 0, round 1: waits forever to send to rank 1; rank 1 has ended");
}

TEST(Verify, SeesAMissingSend) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().recv(0, recv(0));
            }),
            "rank 0, round 1: waits forever to receive from rank 1; rank 1 has ended");
}

TEST(Verify, SeesAMessageTooMany) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              swap(1, out);
              out.round().send(0, recv(1));
            }),
            "rank 1, round 2: waits forever to send to rank 0; rank 0 has ended");
}

TEST(Verify, SeesAWrongPeer) {
  const auto ring = [](int step) {
    return [step](int rank, ScheduleBuilder& out) {
      own_block(rank, out);
      out.round().send((rank + (rank == 1 ? step : 1)) % 3, recv(rank));
      out.recv((rank + 2) % 3, recv((rank + 2) % 3));
      out.round().send((rank + 1) % 3, recv((rank + 2) % 3));
      out.recv((rank + 2) % 3, recv((rank + 1) % 3));
    };
  };
  EXPECT_EQ(verify_allgather(3, ring(1)), "");
  EXPECT_EQ(verify_allgather(3, ring(2)),
            "rank 2, round 1: waits forever to receive from rank 1; "
            "rank 1, round 1: sends to rank 0, which never receives the message");
}

// The waiting rank has a higher number than the rank that sends to a wrong peer.
TEST(Verify, SeesAMessageSentTwiceToOnePeer) {
  EXPECT_EQ(verify_allgather(4,
                             [](int rank, ScheduleBuilder& out) {
                               own_block(rank, out);
                               out.round();
                               for (int peer = 0; peer < 4; ++peer) {
                                 if (peer == rank) continue;
                                 out.send(rank == 1 && peer == 3 ? 2 : peer, recv(rank));
                                 out.recv(peer, recv(peer));
                               }
                             }),
            "rank 3, round 1: waits forever to receive from rank 1; "
            "rank 1, round 1: sends to rank 2, which never receives the message");
}

TEST(Verify, SeesAPeerOutOfRange) {
  for (const int peer : {2, 7, -1})
    EXPECT_EQ(if_rank_1([&](auto& out) { out.round().round().send(peer, recv(1)); }),
              "rank 1, round 1: there is no peer " + std::to_string(peer));
}

TEST(Verify, SeesAMessageToItself) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(1, recv(1)).recv(1, recv(0));
            }),
            "rank 1, round 1: a rank cannot be its own peer");
}

TEST(Verify, SeesAWrongBlockReceivedInto) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              out.round().send(0, send(0)).recv(0, recv(1));
              out.round().copy(send(0), recv(1));
            }),
            "rank 1, round 0: recv block 1 is meant for input block 1, but gets input block 0");
}

TEST(Verify, SeesAWrongBlockSent) {
  EXPECT_EQ(verify_allgather(
                3,
                [](int rank, ScheduleBuilder& out) {
                  own_block(rank, out);
                  const int above = (rank + 1) % 3, below = (rank + 2) % 3;
                  out.round().send(above, recv(rank)).recv(below, recv(below));
                  out.round().send(above, recv(rank == 1 ? rank : below)).recv(below, recv(above));
                }),
            "rank 2, round 2: recv block 0 is meant for input block 0, but gets input block 1");
}

TEST(Verify, SeesABlockOutOfRange) {
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().round().send(0, recv(2)); }),
            "rank 1, round 1: there is no recv block 2 (of 2)");
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().recv(0, recv(-1)); }),
            "rank 1, round 0: there is no recv block -1 (of 2)");
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().copy(send(1), recv(1)); }),
            "rank 1, round 0: there is no send block 1 (of 1)");
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().copy(send(0), scratch(0)); }),
            "rank 1, round 0: there is no scratch block 0 (of 0)");
  EXPECT_EQ(if_rank_1([](auto& out) {
              out.round().send(0, BlockRange{Buffer::recv, 1, 1, -1, 3});
            }),
            "rank 1, round 0: there is no recv block -1 (of 2)");
}

TEST(Verify, SeesADeadlockOfCrossedRounds) {
  EXPECT_EQ(verify_allgather(2,
                             [](int rank, ScheduleBuilder& out) {
                               own_block(rank, out);
                               out.round().send(1 - rank, recv(rank));
                               out.round().recv(1 - rank, recv(1 - rank));
                             }),
            "rank 0, round 1: waits forever to send to rank 1; "
            "rank 1 also waits, in round 1, to send to rank 0");
}

TEST(Verify, SeesTwoReceivesIntoOneBlock) {
  EXPECT_EQ(verify_allgather(2,
                             [](int rank, ScheduleBuilder& out) {
                               own_block(rank, out);
                               out.round();
                               for (int i = 0; i < 2; ++i)
                                 out.send(1 - rank, recv(rank)).recv(1 - rank, recv(1 - rank));
                             }),
            "rank 1, round 1: recv block 0 is received twice");
}

TEST(Verify, SeesAReceiveIntoWhatIsSent) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(0, recv(1)).recv(0, recv(1));
            }),
            "rank 1, round 1: recv block 1 is received while it is sent");
  // In place, the data of the send buffer are in recv.
  const auto from_send = [](auto& out) { out.round().send(0, send(0)).recv(0, recv(1)); };
  EXPECT_EQ(if_rank_1(from_send, true),
            "rank 1, round 0: recv block 1 is received while it is sent");
}

TEST(Verify, SeesAWriteIntoSend) {
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().round().recv(0, send(0)); }),
            "rank 1, round 1: send block 0 is received into, but send is read-only");
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.copy(recv(1), send(0));
            }),
            "rank 1, round 0: send block 0 is copied into, but send is read-only");
}

// Rank 0 broadcasts to rank 1, and then runs other steps.
std::string if_the_root(const std::function<void(ScheduleBuilder&)>& write,
                        const std::function<void(ScheduleBuilder&)>& write_of_1 = {}) {
  ScheduleBuilder root, other;
  root.round().send(1, recv(0));
  other.round().recv(0, recv(0));
  write(root);
  if (write_of_1) write_of_1(other);
  return verify(bcast, {.p = 2}, std::vector{std::move(root).build(), std::move(other).build()});
}

TEST(Verify, SeesAWriteIntoTheMessageOfABroadcast) {
  EXPECT_EQ(if_the_root([](auto& root) { root.copy(recv(0), recv(0)); }), "");
  // Even if the contents remain the same: a program may only be able to read the message.
  for (const Travel travel : {Travel::whole, Travel::published})
    EXPECT_EQ(
        if_the_root([&](auto& root) { root.round().recv(1, recv(0), travel); },
                    [&](auto& other) { other.round().send(0, recv(0), travel); }),
        "rank 0, round 1: recv block 0 is received into, but it holds input, which is read-only");
  EXPECT_EQ(if_the_root([](auto& root) {
              const BlockRange aside = root.scratch({recv(0)});
              root.copy(recv(0), aside).copy(aside, recv(0));
            }),
            "rank 0, round 0: recv block 0 is copied into, but it holds input, which is read-only");
}

// In place, the root's own block is in send, and recv is that block.
TEST(Verify, SeesAWriteIntoSendInPlace) {
  const auto scattered = [](bool aside, bool in_place) {
    ScheduleBuilder root, other;
    root.round().send(1, send(1));
    other.round().recv(0, recv(0));
    if (aside) {
      const BlockRange own = root.scratch({send(0)});
      root.copy(send(0), own).copy(own, recv(0));
    } else {
      root.copy(send(0), recv(0));
    }
    return verify(scatter, {.p = 2}, std::vector{std::move(root).build(), std::move(other).build()},
                  in_place);
  };
  for (const bool in_place : {false, true}) EXPECT_EQ(scattered(false, in_place), "");
  EXPECT_EQ(scattered(true, false), "");
  EXPECT_EQ(scattered(true, true),
            "rank 0, round 0: recv block 0 is copied into, but it holds input, which is read-only");
}

TEST(Verify, SeesThatNothingIsMoved) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              out.round().round().send(0, recv(1)).recv(0, recv(0)).copy(send(0), recv(1));
            }),
            "rank 1, round 1: recv block 1 is sent or copied before it contains data");
  EXPECT_EQ(if_rank_1([](auto& out) {
              out.scratch({recv(0)});
              out.round().copy(scratch(0), recv(0));
            }),
            "rank 1, round 0: scratch block 0 is sent or copied before it contains data");
}

TEST(Verify, SeesScratchOfAnotherSize) {
  const auto through_scratch = [](int like) {
    return [like](auto& out) {
      out.scratch({recv(like)});
      own_block(1, out);
      out.round().send(0, recv(1)).recv(0, scratch(0)).copy(scratch(0), recv(0));
    };
  };
  EXPECT_EQ(if_rank_1(through_scratch(0)), "");
  EXPECT_EQ(if_rank_1(through_scratch(1)),
            "rank 1, round 1: scratch block 0 is meant for input block 1, but gets input block 0");
}

TEST(Verify, SeesCopiesThatOverlap) {
  const auto copies = [](const BlockRanges& from, const BlockRanges& into) {
    return if_rank_1([&](auto& out) {
      out.scratch({recv(1, 1), recv(1, 1), recv(1, 1)});
      out.round().copy(send(0), scratch(0)).copy(send(0), scratch(1));
      out.round().copy(from, into);
    });
  };
  EXPECT_EQ(copies({scratch(0, 2)}, {scratch(1, 2)}),
            "rank 1, round 1: scratch block 1 is copied over itself");
  EXPECT_EQ(copies({scratch(0), scratch(0)}, {scratch(2), scratch(2)}),
            "rank 1, round 1: scratch block 2 is the target of two copies");
}

TEST(Verify, SeesAMissingBlockAtTheEnd) {
  EXPECT_EQ(if_rank_1([](auto& out) { out.round().send(0, send(0)).recv(0, recv(0)); }),
            "rank 1: at the end recv block 1 holds nothing; expected input block 1");
}

TEST(Verify, SeesAnotherNumberOfBlocks) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(0, {recv(1), recv(1)}).recv(0, recv(0));
            }),
            "rank 0, round 1: message from rank 1 has 2 blocks; expected 1");
}

TEST(Verify, SeesAnotherTravel) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(0, recv(1), Travel::packed).recv(0, recv(0));
            }),
            "rank 0, round 1: message from rank 1 is sent as packed; expected whole");
}

TEST(Verify, LetsTheTwoSidesCutABlockListIntoRangesAsTheyLike) {
  const auto split = [](Travel travel) {
    return verify_allgather(3, [travel](int rank, ScheduleBuilder& out) {
      out.round().copy(send(0), recv(rank));
      if (rank < 2) out.round().send(1 - rank, recv(rank)).recv(1 - rank, recv(1 - rank));
      // Rank 0 sends two blocks as two ranges, rank 2 expects them as one.
      if (rank == 0) out.round().send(2, {recv(0), recv(1)}, travel);
      if (rank == 2) out.round().recv(0, recv(0, 2), travel);
      if (rank == 2) out.round().send(0, recv(2)).send(1, recv(2));
      if (rank < 2) out.round().recv(2, recv(2));
    });
  };
  EXPECT_EQ(split(Travel::whole), "");
  EXPECT_EQ(split(Travel::per_block), "");
}

TEST(Verify, SeesAnotherNumberOfChannels) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              own_block(1, out);
              out.round().send(0, recv(1)).channel(1).recv(0, recv(0));
            }),
            "rank 1 has 2 channels, rank 0 has 1");
}

TEST(Verify, HoldsAnAlgorithmToWhatIsClaimedOfIt) {
  const Algorithm& honest = *find_algorithm(allgather, "ring");
  const Shape shape{5};
  EXPECT_EQ(verify(honest, shape), "");
  const auto claiming = [&](const std::function<std::optional<Cost>(const Shape&)>& claim) {
    return verify(Algorithm{.name = "boaster",
                            .collective = allgather,
                            .summary = "",
                            .citation = "",
                            .claim = claim,
                            .write = honest.write},
                  shape);
  };
  EXPECT_EQ(claiming([](const Shape&) { return Cost{4, 4, 4, 1}; }), "");
  EXPECT_EQ(claiming([](const Shape&) { return std::nullopt; }), "") << "no closed form";
  EXPECT_EQ(claiming([](const Shape&) {
              return Cost{3, 4, 4, 1};
            }),
            "rounds: claimed 3, the schedules have 4");
  EXPECT_EQ(claiming([](const Shape&) {
              return Cost{4, 3, 4, 1};
            }),
            "messages per rank: claimed 3, the schedules have 4");
  EXPECT_EQ(claiming([](const Shape&) {
              return Cost{4, 4, 5, 1};
            }),
            "blocks sent by a rank: claimed 5, the schedules have 4");
  EXPECT_EQ(claiming([](const Shape&) {
              return Cost{4, 4, 4, 0};
            }),
            "blocks copied by a rank: claimed 0, the schedules have 1");
}

TEST(Verify, SeesRoundsThatDoNotLineUp) {
  const Algorithm algorithm{
      .name = "crooked",
      .collective = allgather,
      .summary = "",
      .citation = "",
      .write =
          [](const Shape&, int rank, ScheduleBuilder& out) {
            out.round().copy(send(0), recv(rank));
            if (rank == 1) out.round();
            out.round().send(1 - rank, recv(rank)).recv(1 - rank, recv(1 - rank));
          },
  };
  EXPECT_EQ(verify(algorithm, {2}), "round 1: a message is sent and received in different rounds");
}

// An allreduce of three ranks. Each rank combines the contributions of the others in its own order.
std::string verify_allreduce(const std::function<void(int rank, ScheduleBuilder& out)>& combine,
                             bool ordered = true, bool reproducible = false) {
  const Algorithm algorithm{.name = "by hand",
                            .collective = allreduce,
                            .summary = "",
                            .citation = "",
                            .ordered = ordered,
                            .reproducible = reproducible,
                            .write = nullptr};
  std::vector<Schedule> all;
  for (int rank = 0; rank < 3; ++rank) {
    ScheduleBuilder out;
    out.scratch({send(0), send(0), send(0)});
    out.round().copy(send(0), scratch(rank)).round();
    for (int other = 0; other < 3; ++other)
      if (other != rank) out.send(other, send(0)).recv(other, scratch(other));
    combine(rank, out);
    all.push_back(std::move(out).build());
  }
  return verify(algorithm, {3}, all);
}

// (0∘1)∘2, the order of the reproducible algorithms.
void from_below(int, ScheduleBuilder& out) {
  out.reduce(scratch(0), scratch(1)).reduce(scratch(1), scratch(2)).copy(scratch(2), recv(0));
}
// 0∘(1∘2)
void from_above(int, ScheduleBuilder& out) {
  out.reduce(scratch(1), scratch(2)).reduce(scratch(0), scratch(2)).copy(scratch(2), recv(0));
}
// 1∘(0∘2)
void in_disorder(int, ScheduleBuilder& out) {
  out.reduce(scratch(0), scratch(2)).reduce(scratch(1), scratch(2)).copy(scratch(2), recv(0));
}

TEST(VerifyReduction, AcceptsWhatIsRight) {
  EXPECT_EQ(verify_allreduce(from_below), "");
  EXPECT_EQ(verify_allreduce(from_above), "");
  EXPECT_EQ(verify_allreduce(from_below, true, true), "");
  EXPECT_EQ(verify_allreduce(in_disorder, false), "");
}

TEST(VerifyReduction, SeesRanksOutOfOrder) {
  EXPECT_EQ(
      verify_allreduce(in_disorder),
      "rank 1, round 1: scratch block 0 holds the contributions of rank 0 and is reduced into "
      "those of rank 2, out of order");
  EXPECT_EQ(
      verify_allreduce([](int, ScheduleBuilder& out) {
        out.reduce(scratch(0), scratch(1)).reduce(scratch(2), scratch(1));
      }),
      "rank 1, round 1: scratch block 2 holds the contributions of rank 2 and is reduced into "
      "those of ranks 0 to 1, out of order");
}

TEST(VerifyReduction, SeesAnotherExpressionOnAnotherRank) {
  const auto rank_2_differs = [](int rank, ScheduleBuilder& out) {
    rank == 2 ? from_above(rank, out) : from_below(rank, out);
  };
  EXPECT_EQ(verify_allreduce(rank_2_differs),
            "rank 2: at the end recv block 0 is reduced in a different order than on another rank");
  EXPECT_EQ(verify_allreduce(rank_2_differs, false),
            "rank 2: at the end recv block 0 is reduced in a different order than on another rank");
}

TEST(VerifyReduction, SeesThatAnExpressionIsNotTheReproducibleOne) {
  EXPECT_EQ(verify_allreduce(from_above, true, true),
            "rank 0: at the end recv block 0 is reduced in a different order than the reproducible "
            "algorithm promises");
}

TEST(VerifyReduction, SeesContributionsMissingOrThereTwice) {
  EXPECT_EQ(verify_allreduce([](int, ScheduleBuilder& out) {
              out.reduce(scratch(0), scratch(1)).copy(scratch(1), recv(0));
            }),
            "rank 0: at the end recv block 0 holds 2 contributions; expected one from each of the "
            "3 ranks");
  // The number of contributions is correct, but rank 1's occurs twice and rank 2's is missing.
  EXPECT_EQ(verify_allreduce(
                [](int, ScheduleBuilder& out) {
                  out.copy(scratch(1), scratch(2)).reduce(scratch(0), scratch(1));
                  out.reduce(scratch(2), scratch(1)).copy(scratch(1), recv(0));
                },
                false),
            "rank 0: at the end recv block 0 holds 3 contributions; expected one from each of the "
            "3 ranks");
}

TEST(VerifyReduction, SeesThatNothingIsReduced) {
  EXPECT_EQ(verify_allreduce([](int, ScheduleBuilder& out) { out.reduce(scratch(0), recv(0)); }),
            "rank 1, round 1: recv block 0 is reduced before it contains data");
  EXPECT_EQ(verify_allreduce([](int, ScheduleBuilder& out) { out.reduce(scratch(1), send(0)); }),
            "rank 1, round 1: send block 0 is reduced into, but send is read-only");
  EXPECT_EQ(verify_allreduce([](int, ScheduleBuilder& out) { out.reduce(scratch(0), scratch(0)); }),
            "rank 1, round 1: scratch block 0 is reduced into itself");
}

TEST(VerifyReduction, SeesAnotherDatum) {
  const auto halves = [](int rank, ScheduleBuilder& out) {
    out.scratch({send(0), send(1)});
    out.round().copy(send(0, 2), scratch(0, 2)).send(1 - rank, send(0));
    out.recv(1 - rank, recv(0)).reduce(recv(0), scratch(1));
  };
  std::vector<Schedule> all;
  for (int rank = 0; rank < 2; ++rank) {
    ScheduleBuilder out;
    halves(rank, out);
    all.push_back(std::move(out).build());
  }
  EXPECT_EQ(verify(allreduce, {.p = 2, .parts = 2}, all),
            "rank 0, round 0: recv block 0 holds input block 0, but is reduced into input block 1");
}

TEST(VerifyReduction, SeesAReductionWhereThereIsNone) {
  EXPECT_EQ(if_rank_1([](auto& out) {
              swap(1, out);
              out.round().reduce(recv(0), recv(1));
            }),
            "rank 1, round 2: allgather does not reduce");
}

// Rank 1 of a gather to rank 0 forwards the block of rank 2.
std::string verify_relay(bool relays) {
  const Algorithm algorithm{.name = "by hand",
                            .collective = gather,
                            .summary = "",
                            .citation = "",
                            .relays = relays,
                            .write = nullptr};
  std::vector<ScheduleBuilder> out(3);
  out[0].round().copy(send(0), recv(0)).round().recv(1, recv(1, 2));
  out[1].scratch({recv(2)});
  out[1].round().recv(2, scratch(0)).round().send(0, {send(0), scratch(0)});
  out[2].round().send(1, send(0));
  std::vector<Schedule> all;
  for (ScheduleBuilder& each : out) all.push_back(std::move(each).build());
  return verify(algorithm, {3}, all);
}

TEST(Verify, SeesARelayOfBlocksWhoseSizesARankMayNotKnow) {
  EXPECT_EQ(verify_relay(true), "");
  EXPECT_EQ(verify_relay(false),
            "rank 1, round 0: scratch takes its size from recv block 2, but there are only 0 here");
}

// A barrier of three ranks. In each round, each rank sends to the given ranks.
std::string verify_barrier(const std::vector<std::vector<std::vector<int>>>& rounds) {
  std::vector<ScheduleBuilder> builders(3);
  for (const auto& told : rounds) {
    for (ScheduleBuilder& each : builders) each.round();
    for (int rank = 0; rank < 3; ++rank)
      for (const int peer : told[rank]) {
        builders[rank].send(peer);
        builders[peer].recv(rank);
      }
  }
  std::vector<Schedule> all;
  for (ScheduleBuilder& each : builders) all.push_back(std::move(each).build());
  return verify(barrier, {3}, all);
}

TEST(VerifyBarrier, EveryRankHearsOfAll) {
  EXPECT_EQ(verify_barrier({{{1, 2}, {0, 2}, {0, 1}}}), "") << "every rank sends to every rank";
  EXPECT_EQ(verify_barrier({{{}, {0}, {0}}, {{1, 2}, {}, {}}}), "") << "to rank 0 and back";
  EXPECT_EQ(verify_barrier({{{1}, {2}, {}}, {{}, {}, {0, 1}}}),
            "rank 2: ends without information from rank 0")
      << "in the round in which rank 1 sends, it has no information from rank 0 yet";
}

TEST(VerifyBarrier, RefutesThoseThatLeaveEarly) {
  EXPECT_EQ(verify_barrier({}), "rank 0: ends without information from rank 1");
  EXPECT_EQ(verify_barrier({{{1}, {2}, {0}}}), "rank 0: ends without information from rank 1");
  EXPECT_EQ(verify_barrier({{{}, {0}, {0}}, {{1}, {}, {}}}),
            "rank 2: ends without information from rank 0");
  EXPECT_EQ(verify_barrier({{{1, 2}, {0}, {0}}}), "rank 1: ends without information from rank 2")
      << "data that arrives in a round is not sent in that round";
}

TEST(VerifyScan, PrefixesAreOfTheRanksUpToEach) {
  const auto verify_scan = [](const Collective& collective, bool by_wrong_rank) {
    std::vector<Schedule> all;
    for (int rank = 0; rank < 2; ++rank) {
      ScheduleBuilder out;
      const BlockRange other = out.scratch({send(0)});
      out.round().send(1 - rank, send(0)).recv(1 - rank, other);
      if (&collective == &scan) out.copy(send(0), recv(0));
      if (rank == (by_wrong_rank ? 0 : 1))
        &collective == &scan ? out.reduce(other, recv(0)) : out.copy(other, recv(0));
      all.push_back(std::move(out).build());
    }
    return verify(collective, {2}, all);
  };
  EXPECT_EQ(verify_scan(scan, false), "");
  EXPECT_EQ(verify_scan(exscan, false), "");
  EXPECT_EQ(verify_scan(scan, true),
            "rank 0: at the end recv block 0 holds 2 contributions; expected one from each of the "
            "first 1 ranks");
  EXPECT_EQ(verify_scan(exscan, true), "rank 0, round 0: there is no recv block 0 (of 0)");
}

}  // namespace
}  // namespace toccata
