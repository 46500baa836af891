#include "costs/cost.h"

#include <cmath>
#include <numeric>

#include "support.h"

namespace toccata {
namespace {

// Parameters whose small sums all differ, so that a wrong term is detected.
constexpr Protocol eager{.alpha = 1e2, .beta = 1e-1, .o = 7};
constexpr Protocol rendezvous{.alpha = 3e3, .beta = 2e-2, .o = 11};

Model flat(std::int64_t threshold = 1000) {
  return {.name = "flat",
          .origin = "",
          .levels = {{"network", threshold, eager, rendezvous}},
          .gamma = 1e-3,
          .copy = 2e-3,
          .pack = 3e-3};
}

// Schedules for ranks that move blocks of n bytes between positions of allgather's recv.
class Ranks {
 public:
  explicit Ranks(int p) : p_(p), builders_(p) {}

  ScheduleBuilder& operator[](int rank) { return builders_[rank]; }

  Prediction predict(const Model& model, std::int64_t n, CostOptions options = {},
                     std::shared_ptr<const Placement> placement = {}) {
    std::vector<Schedule> schedules;
    for (ScheduleBuilder& each : builders_) schedules.push_back(std::move(each).build());
    Shape shape{p_};
    shape.placement = std::move(placement);
    const Prediction found = toccata::predict(allgather, shape, schedules,
                                              std::vector<std::int64_t>(p_, n), model, options);
    EXPECT_EQ(found.error, "");
    return found;
  }
  double seconds(const Model& model, std::int64_t n) { return predict(model, n).seconds; }

 private:
  int p_;
  std::vector<ScheduleBuilder> builders_;
};

// Two nodes of two sockets of two cores each.
std::shared_ptr<const Placement> two_nodes() {
  const auto machine = std::make_shared<const Machine>(std::vector<Machine::Level>{
      {"node", {0, 0}}, {"socket", {0, 0, 1, 1}}, {"core", {0, 0, 1, 1, 2, 2, 3, 3}}});
  std::vector<Place> places;
  for (int core = 0; core < 8; ++core) places.push_back({2, core});
  return std::make_shared<const Placement>(machine, places);
}

Ranks one_message(const BlockRanges& blocks = {recv(0)}, Travel travel = Travel::whole) {
  Ranks ranks(4);
  ranks[0].round().send(1, blocks, travel);
  ranks[1].round().recv(0, blocks, travel);
  return ranks;
}

TEST(Cost, OfAMessageIsLatencyBytesAndAnOverheadAtEitherEnd) {
  EXPECT_DOUBLE_EQ(one_message().seconds(flat(), 100), 7 + 100 + 100 * 0.1 + 7);
}

TEST(Cost, ProtocolChangesAtTheThreshold) {
  EXPECT_DOUBLE_EQ(one_message().seconds(flat(), 999), 7 + 100 + 99.9 + 7);
  EXPECT_DOUBLE_EQ(one_message().seconds(flat(), 1000), 11 + 3000 + 20 + 11);
}

// An eager message travels while its receiver copies. A message by rendezvous starts after the
// copy.
TEST(Cost, OnlyARendezvousWaitsForTheReceiver) {
  const auto late = [](std::int64_t n) {
    Ranks ranks(2);
    ranks[0].round().send(1, recv(0));
    ranks[1].round().copy(recv(0), recv(1));
    ranks[1].round().recv(0, recv(0));
    Model model = flat();
    model.copy = 10;
    return ranks.seconds(model, n);
  };
  EXPECT_DOUBLE_EQ(late(100), 1000 + 7);
  EXPECT_DOUBLE_EQ(late(1000), 10000 + 3000 + 20 + 11);
}

// Rank 1 is late. An eager message waits for it, and a rendezvous begins when it arrives.
TEST(Cost, LateRanksReceiveWhatHasArrived) {
  const auto late = [](double seconds, std::int64_t n) {
    const CostOptions options{.arrivals = {0, seconds, 0, 0}};
    Ranks ranks = one_message();
    return ranks.predict(flat(), n, options).seconds;
  };
  EXPECT_DOUBLE_EQ(late(1, 100), one_message().seconds(flat(), 100));
  EXPECT_DOUBLE_EQ(late(5000, 100), 5000 + 7);
  EXPECT_DOUBLE_EQ(late(5000, 1000), 5000 + 3000 + 20 + 11);
}

// A sender by rendezvous waits for the arrival of its message; an eager sender does not. Here, rank
// 0 copies in the meantime.
TEST(Cost, AnEagerSenderGoesOnWhenItsBytesHaveLeft) {
  const auto busy = [](std::int64_t n) {
    Ranks ranks(2);
    ranks[0].round().send(1, recv(0)).copy(recv(0), recv(1));
    ranks[1].round().recv(0, recv(0));
    Model model = flat();
    model.copy = 10;
    return ranks.seconds(model, n);
  };
  EXPECT_DOUBLE_EQ(busy(100), 7 + 10 + 1000);
  EXPECT_DOUBLE_EQ(busy(1000), 11 + 3000 + 20 + 10000);
}

Ranks fan_out() {
  Ranks ranks(4);
  ranks[0].round();
  for (int peer = 1; peer < 4; ++peer) {
    ranks[0].send(peer, recv(0));
    ranks[peer].round().recv(0, recv(0));
  }
  return ranks;
}
Ranks fan_in() {
  Ranks ranks(4);
  ranks[0].round();
  for (int peer = 1; peer < 4; ++peer) {
    ranks[0].recv(peer, recv(peer));
    ranks[peer].round().send(0, recv(peer));
  }
  return ranks;
}

// A rank sends three messages at once. Their bytes queue up; if the processor time per message is
// longer, the overheads queue up instead. The latencies overlap.
TEST(Cost, OverheadsAndBytesOfARankQueueUp) {
  EXPECT_DOUBLE_EQ(fan_out().seconds(flat(), 10), 3 * 7 + 1 + 100 + 7);
  EXPECT_DOUBLE_EQ(fan_out().seconds(flat(), 100), 7 + 3 * 10 + 100 + 7);
  EXPECT_DOUBLE_EQ(fan_in().seconds(flat(), 10), 7 + 1 + 100 + 3 * 7);
  EXPECT_DOUBLE_EQ(fan_in().seconds(flat(), 100), 7 + 3 * 10 + 100 + 7);
}

TEST(Cost, LinksOfTheirOwnDoNotQueue) {
  Model model = flat();
  model.levels[0].eager.tau = 0;
  EXPECT_DOUBLE_EQ(fan_out().seconds(model, 1000 - 1), 3 * 7 + 99.9 + 100 + 7);
  EXPECT_DOUBLE_EQ(fan_in().seconds(model, 1000 - 1), 7 + 99.9 + 100 + 3 * 7);
  model.levels[0].eager.tau = 0.5;
  EXPECT_DOUBLE_EQ(fan_out().seconds(model, 500), 7 + 2 * 50 + 100 + 7);
  EXPECT_DOUBLE_EQ(fan_in().seconds(model, 500), 7 + 2 * 50 + 100 + 7);
}

// [chan2006, section 7.1]: l messages take (alpha + n·beta)(1 + (l-1)·tau).
TEST(Cost, SendsOverSeveralLinksAsInTheMultiLinkPaper) {
  const double alpha = 50, beta = 0.3, tau = 0.2;
  Model model = flat();
  model.levels[0].eager = {.alpha = alpha, .beta = beta, .g = tau * alpha, .tau = tau};
  EXPECT_DOUBLE_EQ(one_message().seconds(model, 200), alpha + 200 * beta);
  EXPECT_DOUBLE_EQ(fan_out().seconds(model, 200), (alpha + 200 * beta) * (1 + 2 * tau));
  EXPECT_DOUBLE_EQ(fan_in().seconds(model, 200), (alpha + 200 * beta) * (1 + 2 * tau));
}

// [bienz2022, equation 1]: alpha per message and beta per byte of a rank, for any order of sending.
TEST(Cost, OfAPostalModelIsAMessageAtATime) {
  const Model postal = hockney(10, 0.1);
  EXPECT_DOUBLE_EQ(fan_out().seconds(postal, 50), 3 * (10 + 5));
  EXPECT_DOUBLE_EQ(fan_in().seconds(postal, 50), 3 * (10 + 5));
  EXPECT_DOUBLE_EQ(one_message({recv(0, 3)}, Travel::per_block).seconds(postal, 50), 3 * (10 + 5));
  Ranks out(4), in(4);
  for (int peer = 1; peer < 4; ++peer) {
    out[0].round().send(peer, recv(0));
    out[peer].round().recv(0, recv(0));
    in[peer].round().send(0, recv(peer));
    in[0].round().recv(peer, recv(peer));
  }
  EXPECT_DOUBLE_EQ(out.seconds(postal, 50), 3 * (10 + 5)) << "also in separate rounds";
  EXPECT_DOUBLE_EQ(in.seconds(postal, 50), 3 * (10 + 5));

  // The gap of an earlier slow message does not delay fast messages.
  Model levels = hockney(1000, 0);
  levels.levels.push_back({.name = "node", .eager = {.alpha = 10, .g = 10}});
  Ranks both(8);
  both[0].round().send(4, recv(0)).recv(4, recv(0)).round().recv(1, recv(1));
  both[4].round().send(0, recv(0)).recv(0, recv(0)).round().send(5, recv(1));
  both[1].round().send(5, recv(0)).recv(5, recv(0)).round().send(0, recv(1));
  both[5].round().send(1, recv(0)).recv(1, recv(0)).round().recv(4, recv(1));
  EXPECT_DOUBLE_EQ(both.predict(levels, 1, {}, two_nodes()).seconds, 1000 + 10);
}

// Three blocks, one message each: three overheads at either end, or the time of the bytes if that
// is longer.
TEST(Cost, BlocksThatTravelAloneAreMessages) {
  const auto seconds = [](std::int64_t n) {
    return one_message({recv(0, 3)}, Travel::per_block).seconds(flat(), n);
  };
  EXPECT_DOUBLE_EQ(seconds(10), 3 * 7 + 1 + 100 + 7);
  EXPECT_DOUBLE_EQ(seconds(100), 7 + 3 * 10 + 100 + 7);
  EXPECT_DOUBLE_EQ(seconds(999), 7 + 3 * 99.9 + 100 + 7) << "each below the threshold";
}

TEST(Cost, MessagesNotInOnePieceArePackedAndUnpacked) {
  const BlockRanges apart{recv(0), recv(2)};
  EXPECT_DOUBLE_EQ(one_message(apart).seconds(flat(), 100),
                   200 * 3e-3 + 7 + 100 + 20 + 7 + 200 * 3e-3);
  EXPECT_DOUBLE_EQ(one_message({recv(0)}, Travel::packed).seconds(flat(), 100),
                   100 * 3e-3 + 7 + 100 + 10 + 7 + 100 * 3e-3);
  EXPECT_DOUBLE_EQ(one_message(apart, Travel::per_block).seconds(flat(), 100), 7 + 100 + 20 + 7);
}

TEST(Cost, LocalStepsTakeTheirBytes) {
  Ranks ranks(2);
  ranks[0].round().copy(recv(0), recv(1)).reduce(BlockRanges{recv(0)}, BlockRanges{recv(1)});
  EXPECT_DOUBLE_EQ(ranks.seconds(flat(), 1000), 2 + 1);
}

TEST(Cost, AnyCallTakesItsStart) {
  Model model = flat();
  model.start = 5;
  EXPECT_DOUBLE_EQ(Ranks(1).seconds(model, 1000), 5);
  EXPECT_DOUBLE_EQ(one_message().seconds(model, 100), 5 + 7 + 100 + 10 + 7);
}

TEST(Cost, ScratchIsFreshBeyondWhatIsKept) {
  Ranks ranks(1);
  ranks[0].scratch({recv(0), recv(0)});
  Model model = flat();
  model.fresh = 0.5;
  model.kept = 200;
  EXPECT_DOUBLE_EQ(ranks.seconds(model, 100), 0);
  ranks[0].scratch({recv(0), recv(0)});
  EXPECT_DOUBLE_EQ(ranks.seconds(model, 101), 202 * 0.5);
}

// Rank 0 publishes a block for ranks 1 and 2 of its node, and sends it to rank 4 of the other node:
// it writes once, and each reader reads.
TEST(Cost, PublishedBlocksAreWrittenOnceAndReadByAll) {
  const auto publication = [](bool leaves) {
    Ranks ranks(8);
    ranks[0].round();
    if (leaves) ranks[0].publish(4, recv(0));
    ranks[0].publish(1, recv(0)).publish(2, recv(0));
    for (const int reader : {1, 2}) ranks[reader].round().read(0, recv(0));
    if (leaves) ranks[4].round().read(0, recv(0));
    return ranks;
  };
  Model model = flat();
  EXPECT_DOUBLE_EQ(publication(false).predict(model, 100, {}, two_nodes()).seconds,
                   7 + 10 + 100 + 10 + 7)
      << "without their costs, as messages";
  model.publishing = {.latency = 50, .write = 0.01, .read = 0.03};
  const Prediction found = publication(false).predict(model, 100, {.terms = true}, two_nodes());
  EXPECT_DOUBLE_EQ(found.seconds, 1 + 50 + 3);
  const Terms terms(model);
  EXPECT_EQ(found.terms[terms.write()], 100);
  EXPECT_EQ(found.terms[terms.publishing()], 1);
  EXPECT_EQ(found.terms[terms.read()], 100);
  const Prediction leaving = publication(true).predict(model, 100, {.terms = true}, two_nodes());
  EXPECT_DOUBLE_EQ(leaving.seconds, 7 + 100 + 10 + 7);
  model.publishing->latency = 1000;  // now on the critical path
  EXPECT_DOUBLE_EQ(publication(true).predict(model, 100, {}, two_nodes()).seconds,
                   7 + 1 + 1000 + 3);
  model.publishing->latency = 50;
  EXPECT_DOUBLE_EQ(publication(false).seconds(model, 100), 7 + 10 + 100 + 10 + 7)
      << "no placement: the ranks may be on different nodes";
}

// Different blocks for two readers are two publications. A reader of two publishers reads one after
// the other.
TEST(Cost, DifferentBlocksArePublishedEach) {
  Model model = flat();
  model.publishing = {.latency = 50, .write = 0.01, .read = 0.03};
  Ranks slices(8);
  slices[0].round().publish(1, recv(0)).publish(2, recv(1));
  for (const int reader : {1, 2}) slices[reader].round().read(0, recv(reader - 1));
  EXPECT_DOUBLE_EQ(slices.predict(model, 100, {}, two_nodes()).seconds, 2 + 50 + 3);

  Ranks two(8);
  for (const int publisher : {0, 1}) two[publisher].round().publish(2, recv(publisher));
  two[2].round().read(0, recv(0)).read(1, recv(1));
  EXPECT_DOUBLE_EQ(two.predict(model, 100, {}, two_nodes()).seconds, 1 + 50 + 3 + 3);
}

TEST(Cost, ConflictsMultiplyBytes) {
  const CostOptions busy{.conflicts = [](int sender, int round, int message) {
    return sender == 0 && round == 0 && message == 0 ? 4.0 : 1.0;
  }};
  EXPECT_DOUBLE_EQ(one_message().predict(flat(), 100, busy).seconds, 7 + 100 + 4 * 10 + 7);
}

// Rank 0 has much to send at first, and rank 2 later; neither waits for the other. The overhead of
// the first arrival overlaps the next message.
TEST(Cost, IsThatOfTheCriticalPathAndNotASumOfMaxima) {
  Ranks ranks(4);
  ranks[0].round().send(1, recv(0, 3)).round().send(1, recv(0));
  ranks[1].round().recv(0, recv(0, 3)).round().recv(0, recv(0));
  ranks[2].round().send(3, recv(0)).round().send(3, recv(0, 3));
  ranks[3].round().recv(2, recv(0)).round().recv(2, recv(0, 3));
  EXPECT_DOUBLE_EQ(ranks.seconds(flat(0), 500), 11 + 3000 + 11 + 3000 + 11 + 2000 * 0.02);
}

Model by_level(double injection) {
  return {.name = "by level",
          .origin = "",
          .levels = {{.name = "network", .eager = {.alpha = 1000, .beta = 0.1}},
                     {.name = "node", .eager = {.alpha = 100}, .injection = injection},
                     {.name = "socket", .eager = {.alpha = 10}}}};
}

TEST(Cost, GoesByTheLevelAtWhichRanksMeet) {
  const auto placement = two_nodes();
  const auto seconds = [&](int from, int to, const Model& model) {
    Ranks ranks(8);
    ranks[from].round().send(to, recv(0));
    ranks[to].round().recv(from, recv(0));
    return ranks.predict(model, 0, {}, placement).seconds;
  };
  Model model = by_level(1e9);
  EXPECT_DOUBLE_EQ(seconds(0, 1, model), 10);
  EXPECT_DOUBLE_EQ(seconds(1, 2, model), 100);
  EXPECT_DOUBLE_EQ(seconds(7, 3, model), 1000);
  model.levels.pop_back();
  EXPECT_DOUBLE_EQ(seconds(0, 1, model), 100) << "a level unknown to the model is its outer one";
  model.levels.pop_back();
  EXPECT_DOUBLE_EQ(seconds(0, 1, model), 1000);
}

// A rank can send 10 bytes per second. With 50 bytes per second per node, four ranks of a node get
// 10 each; with 20 per node, they get 5 each.
TEST(Cost, RanksOfANodeShareItsInjectionLimit) {
  const auto placement = two_nodes();
  const auto seconds = [&](double limit, int senders, bool back = false) {
    Ranks ranks(8);
    for (int i = 0; i < senders; ++i) {
      ranks[i].round().send(4 + i, recv(0));
      ranks[4 + i].round().recv(i, recv(0));
      if (back) ranks[i].recv(4 + i, recv(1)), ranks[4 + i].send(i, recv(1));
    }
    return ranks.predict(by_level(limit), 100, {}, placement).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(50, 4), 1000 + 10);
  EXPECT_DOUBLE_EQ(seconds(20, 4), 1000 + 20);
  EXPECT_DOUBLE_EQ(seconds(20, 2), 1000 + 10);
  EXPECT_DOUBLE_EQ(seconds(20, 4, true), 1000 + 20) << "the directions are independent";
}

// Ranks 0 and 4 send to rank 7 of node 1; other messages stay inside node 1. Only bytes that enter
// a node count.
TEST(Cost, WhatEntersANodeSharesItsLimitToo) {
  const auto machine = std::make_shared<const Machine>(
      std::vector<Machine::Level>{{"node", {0, 0, 0}}, {"core", {0, 1, 1, 2, 2}}});
  const auto placement = std::make_shared<const Placement>(
      machine, std::vector<Place>{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}});
  Ranks ranks(5);  // from nodes 0 and 1 to the two ranks of node 2
  ranks[0].round().send(3, recv(0));
  ranks[1].round().send(4, recv(0)).recv(2, recv(1));
  ranks[2].round().send(1, recv(1));
  ranks[3].round().recv(0, recv(0));
  ranks[4].round().recv(1, recv(0));
  EXPECT_DOUBLE_EQ(ranks.predict(by_level(5), 100, {}, placement).seconds, 1000 + 2 * 20);
}

// Node 0 has 300 bytes to send, 200 of them from rank 0. Rank 0 needs the time of all 300.
TEST(Cost, UnevenRanksShareALimitByTheirBytes) {
  Ranks ranks(8);
  ranks[0].round().send(4, recv(0, 2));
  ranks[4].round().recv(0, recv(0, 2));
  ranks[1].round().send(5, recv(0));
  ranks[5].round().recv(1, recv(0));
  EXPECT_DOUBLE_EQ(ranks.predict(by_level(5), 100, {}, two_nodes()).seconds, 1000 + 300 / 5.0);
}

TEST(Cost, SaysWhatTheCriticalPathConsistsOf) {
  const Model model = flat();
  const Terms at(model);
  std::vector<double> expected(at.number());
  expected[at.start()] = 1;
  expected[at.pack()] = 400;
  expected[at.o(0, false)] = 2;
  expected[at.alpha(0, false)] = 1;
  expected[at.beta(0, false)] = 200;
  EXPECT_EQ(one_message({recv(0), recv(2)}).predict(model, 100, {.terms = true}).terms, expected);
  EXPECT_EQ(one_message().predict(model, 100).terms, std::vector<double>());
  EXPECT_EQ(term_names(model)[at.o(0, true)], "network.rendezvous.o");
  EXPECT_EQ(coefficients(model)[at.o(0, true)], 11);
}

TEST(Cost, SaysWhatAWalkWouldNotComeThrough) {
  std::vector<Schedule> schedules(2);
  ScheduleBuilder alone;
  alone.round().send(1, recv(0));
  schedules[0] = std::move(alone).build();
  EXPECT_EQ(predict(allgather, {2}, schedules, {}, flat()).error,
            "rank 0, round 0: waits forever to send to rank 1; rank 1 has ended");
}

TEST(Cost, CutsAUnitIntoPartsAsEvenlyAsItCan) {
  Shape shape{2};
  shape.parts = 3;
  EXPECT_EQ(datum_bytes(allgather, shape, 8), (std::vector<std::int64_t>{3, 3, 2, 3, 3, 2}));
}

Model random_model(test::Random& random) {
  const auto protocol = [&] {
    return Protocol{random.number(0, 100) * 1e-7, random.number(0, 100) * 1e-11,
                    random.number(0, 20) * 1e-7, random.number(0, 20) * 1e-7,
                    random.number(0, 4) / 4.0};
  };
  Model model;
  for (const char* level : {"network", "node", "socket", "core"})
    model.levels.push_back(
        {level, random.number(0, 5000), protocol(), protocol(),
         random.coin() ? 1e9 * random.number(1, 20) : std::numeric_limits<double>::infinity()});
  model.gamma = random.number(0, 9) * 1e-11;
  model.copy = random.number(0, 9) * 1e-11;
  model.pack = random.number(0, 9) * 1e-11;
  model.start = random.number(0, 9) * 1e-6;
  model.fresh = random.number(0, 9) * 1e-11;
  model.kept = random.number(0, 4000);
  if (random.coin())
    model.publishing = {random.number(0, 100) * 1e-8, random.number(0, 100) * 1e-12,
                        random.number(0, 100) * 1e-12};
  return model;
}

class EveryCost : public test::AlgorithmTest {
 protected:
  // Calls visit(shape) for shapes on machines with levels.
  template <typename Visit>
  void for_shapes(Visit&& visit) const {
    for (const int p : {1, 2, 5, 8, 12, 17})
      for (const Shape& shape : sample_shapes(*GetParam(), p))
        for (const auto& placement : sample_placements(p)) {
          Shape placed = shape;
          if (!placed.placement) placed.placement = placement;
          if (GetParam()->why_impossible(placed).empty()) visit(GetParam()->complete(placed));
          if (shape.placement) break;
        }
  }
};

TEST_P(EveryCost, IsTheSumOfItsTerms) {
  test::Random random(1);
  for_shapes([&](const Shape& shape) {
    const Model model = random_model(random);
    const Prediction found =
        predict(*GetParam(), shape, random.number(0, 4000), model, {.terms = true});
    const std::vector<double> values = coefficients(model);
    const double sum = std::inner_product(values.begin(), values.end(), found.terms.begin(), 0.0);
    ASSERT_EQ(found.error, "");
    ASSERT_NEAR(found.seconds, sum, 1e-9 * sum) << test::describe(*GetParam(), shape);
  });
}

// On the better of two machines, no call takes longer; and fewer bytes never take longer. Only
// latencies differ between levels here: otherwise the order of messages might change, and the last
// one might be faster.
TEST_P(EveryCost, GrowsWithBytesAndParameters) {
  test::Random random(2);
  for_shapes([&](const Shape& shape) {
    Model model = random_model(random);
    for (Model::Level& level : model.levels) {
      const double alpha = level.eager.alpha;
      level.eager = model.levels[0].eager;
      level.eager.alpha = alpha;
      level.eager.tau = 1;
      level.injection = std::numeric_limits<double>::infinity();
      level.rendezvous = level.eager;
    }
    const int bytes = random.number(0, 4000);
    const double before = predict(*GetParam(), shape, bytes, model).seconds;
    const double with_bytes =
        predict(*GetParam(), shape, bytes + random.number(1, 1000), model).seconds;
    ASSERT_GE(with_bytes, before * (1 - 1e-12)) << test::describe(*GetParam(), shape);
    for (Model::Level& level : model.levels)
      for (Protocol* protocol : {&level.eager, &level.rendezvous}) {
        protocol->alpha *= 1.5;
        protocol->beta *= 1.5;
        protocol->o *= 1.5;
        protocol->g *= 1.5;
      }
    ASSERT_GE(predict(*GetParam(), shape, bytes, model).seconds, before * (1 - 1e-12))
        << test::describe(*GetParam(), shape);
  });
}

EVERY_ALGORITHM(EveryCost);

}  // namespace
}  // namespace toccata
