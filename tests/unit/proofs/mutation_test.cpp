// The proof must find every small mistake in the schedule of one rank.
#include "proofs/lockstep.h"
#include "support.h"

namespace toccata {
namespace {

using test::Random;

// The parts of a schedule, to be changed and built again.
struct Plan {
  struct Note {
    int peer;
    int channel;
    Travel travel;
    BlockRanges ranges;
  };
  struct Step {
    BlockRanges from, into;
    bool reduces;
  };
  struct Round {
    std::vector<Note> sends, recvs;
    std::vector<Step> steps;
  };
  std::vector<Round> rounds;
  BlockRanges scratch;
  int channels;

  explicit Plan(const Schedule& schedule)
      : scratch(schedule.scratch()), channels(schedule.channels()) {
    const auto list = [](std::span<const BlockRange> ranges) {
      return BlockRanges(ranges.begin(), ranges.end());
    };
    for (int i = 0; i < schedule.rounds(); ++i) {
      Round& round = rounds.emplace_back();
      for (const Message& each : schedule.sends(i))
        round.sends.push_back({each.peer, each.channel, each.travel, list(schedule.ranges(each))});
      for (const Message& each : schedule.recvs(i))
        round.recvs.push_back({each.peer, each.channel, each.travel, list(schedule.ranges(each))});
      for (const toccata::Step& each : schedule.steps(i)) {
        // Compositions copy blocks onto themselves; without such a copy, the result is still
        // correct.
        if (std::ranges::equal(schedule.from(each), schedule.into(each))) continue;
        round.steps.push_back({list(schedule.from(each)), list(schedule.into(each)), each.reduces});
      }
    }
  }

  Schedule build() const {
    ScheduleBuilder builder;
    builder.channel(channels - 1).channel(0).scratch(scratch);
    for (const Round& round : rounds) {
      builder.round();
      for (const Note& each : round.sends)
        builder.channel(each.channel).send(each.peer, each.ranges, each.travel);
      for (const Note& each : round.recvs)
        builder.channel(each.channel).recv(each.peer, each.ranges, each.travel);
      for (const Step& each : round.steps)
        each.reduces ? builder.reduce(each.from, each.into) : builder.copy(each.from, each.into);
    }
    return std::move(builder).build();
  }

  // All messages, or all steps, with the list that contains them.
  std::vector<std::pair<std::vector<Note>*, int>> messages() {
    std::vector<std::pair<std::vector<Note>*, int>> all;
    for (Round& round : rounds)
      for (auto* list : {&round.sends, &round.recvs})
        for (std::size_t i = 0; i < list->size(); ++i) all.emplace_back(list, i);
    return all;
  }
  std::vector<std::pair<std::vector<Step>*, int>> steps() {
    std::vector<std::pair<std::vector<Step>*, int>> all;
    for (Round& round : rounds)
      for (std::size_t i = 0; i < round.steps.size(); ++i) all.emplace_back(&round.steps, i);
    return all;
  }
};

// Replaces one block of the ranges by its neighbour.
void shift_a_block(BlockRanges& ranges, Random& random) {
  std::vector<BlockRange> single;
  for (const BlockRange& range : ranges)
    for_each_block(range, [&](int block) { single.push_back({range.buffer, block}); });
  single[random.number(0, static_cast<int>(single.size()) - 1)].first += random.coin() ? 1 : -1;
  ranges = single;
}

// Changes one thing and returns its name.
std::string mutate(Plan& plan, int p, Random& random) {
  const auto messages = plan.messages();
  const auto steps = plan.steps();
  const int which = random.number(0, static_cast<int>(messages.size() + steps.size()) - 1);
  if (which >= static_cast<int>(messages.size())) {
    const auto [list, index] = steps[which - messages.size()];
    Plan::Step& step = (*list)[index];
    switch (random.number(0, step.reduces ? 4 : 2)) {
      case 0:
        list->erase(list->begin() + index);
        return "a step is dropped";
      case 1:
        shift_a_block(step.from, random);
        return "another block is copied or reduced";
      case 2:
        shift_a_block(step.into, random);
        return "a step goes to another block";
      case 3:
        step.reduces = false;
        return "what should be reduced is copied";
      default:
        std::swap(step.from, step.into);
        return "operands are exchanged";
    }
  }
  const auto [list, index] = messages[which];
  Plan::Note& note = (*list)[index];
  if (note.ranges.empty() && random.number(0, 4) == 1) {
    note.ranges = {send(0)};
    return "a message has a block";
  }
  switch (random.number(0, note.ranges.empty() ? 3 : 4)) {
    case 0:
      list->erase(list->begin() + index);
      return "a message is dropped";
    case 4:
      shift_a_block(note.ranges, random);
      return "a message has another block";
    case 1:
      note.peer = (note.peer + random.number(1, p - 1)) % p;
      return "a message has another peer";
    case 2:
      list->push_back(note);
      return "a message occurs twice";
    default:
      note.travel = note.travel == Travel::packed ? Travel::datatype : Travel::packed;
      return "a message travels otherwise";
  }
}

// Some mutations do not change the result. Parked blocks, and results of several levels, are in two
// places at once, and either is correct. If the order of ranks is free, contributions may be
// combined in another order. A neighbour that occurs twice sends the same block twice.
bool may_be_right(const Algorithm& algorithm) {
  return algorithm.blocks_alike || algorithm.collective.reduces ||
         &algorithm.collective == &neighbor_allgather;
}
bool is_right(const Algorithm& algorithm, const Shape& shape, const std::vector<Schedule>& all) {
  const ElementType pair{{{0, 2}}, 2};
  const ByteCall call{.counts = std::vector<std::int64_t>(algorithm.collective.data(shape), 3),
                      .send_type = pair,
                      .recv_type = pair,
                      .reduction = algorithm.ordered ? compose : add};
  return lockstep(algorithm.collective, shape, all, call).empty();
}

// Whether other ranks finish although one rank never starts. As with short messages, senders do not
// wait for arrivals.
bool leaves_without(const std::vector<Schedule>& all, int absent) {
  const int p = static_cast<int>(all.size());
  std::vector<std::vector<int>> sent(p, std::vector<int>(p)), taken = sent;  // messages per sender
  std::vector<int> round(p, 0);
  const auto post = [&](int rank) {
    if (rank == absent || round[rank] >= all[rank].rounds()) return;
    for (const Message& each : all[rank].sends(round[rank])) ++sent[each.peer][rank];
  };
  const auto ends_round = [&](int rank) {
    std::vector<int> wanted = taken[rank];
    for (const Message& each : all[rank].recvs(round[rank]))
      if (++wanted[each.peer] > sent[rank][each.peer]) return false;
    taken[rank] = std::move(wanted);
    return true;
  };
  for (int rank = 0; rank < p; ++rank) post(rank);
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < p; ++rank)
      while (rank != absent && round[rank] < all[rank].rounds() && ends_round(rank)) {
        ++round[rank];
        post(rank);
        moved = true;
      }
  }
  for (int rank = 0; rank < p; ++rank)
    if (rank != absent && round[rank] == all[rank].rounds()) return true;
  return false;
}

using BarrierMutation = test::AlgorithmTest;

// If a message is missing on both sides, no rank hangs, but a rank may leave too early. The proof
// finds exactly these cases, and there is at least one.
TEST_P(BarrierMutation, IsFound) {
  const Algorithm& algorithm = *GetParam();
  for (const int p : {2, 3, 4, 5, 7, 8, 12})
    for (const Shape& shape : sample_shapes(algorithm, p)) {
      const std::vector<Schedule> right = test::schedules(algorithm, shape);
      bool any = false;
      for (int sender = 0; sender < p; ++sender)
        for (int round = 0; round < right[sender].rounds(); ++round)
          for (const Message& message : right[sender].sends(round)) {
            std::vector<Plan> plans(right.begin(), right.end());
            const auto drop = [&](std::vector<Plan::Note>& notes, int peer) {
              std::erase_if(notes, [&](const Plan::Note& each) { return each.peer == peer; });
            };
            drop(plans[sender].rounds[round].sends, message.peer);
            drop(plans[message.peer].rounds[round].recvs, sender);
            std::vector<Schedule> wrong;
            for (const Plan& each : plans) wrong.push_back(each.build());
            bool early = false;
            for (int absent = 0; absent < p && !early; ++absent)
              early = leaves_without(wrong, absent);
            const std::string error = verify(algorithm, shape, wrong);
            ASSERT_EQ(error.find("ends without information from rank") != std::string::npos, early)
                << test::describe(algorithm, shape) << ", without " << sender << " > "
                << message.peer << " in round " << round << ": " << error;
            any |= early;
          }
      EXPECT_TRUE(any) << test::describe(algorithm, shape);
    }
}

EVERY_ALGORITHM_OF(barrier, BarrierMutation);

using Mutation = test::AlgorithmTest;

TEST_P(Mutation, IsFound) {
  const Algorithm& algorithm = *GetParam();
  const int trials = test::sanitized ? 50 : 500;
  for (const int p : {2, 3, 4, 5, 6, 8, 16})
    for (const Shape& shape : sample_shapes(algorithm, p)) {
      const std::vector<Schedule> right = test::schedules(algorithm, shape);
      for (int trial = 0; trial < trials; ++trial) {
        Random random(1000 * p + trial);
        std::vector<Schedule> wrong = right;
        Schedule& victim = wrong[random.number(0, p - 1)];
        Plan plan(victim);
        if (plan.rounds.empty()) continue;
        const std::string change = mutate(plan, p, random);
        victim = plan.build();
        const std::string error = verify(algorithm, shape, wrong);
        if (error.empty() && may_be_right(algorithm) && is_right(algorithm, shape, wrong)) continue;
        ASSERT_NE(error, "") << test::describe(algorithm, shape) << ", seed " << 1000 * p + trial
                             << ": " << change;
        ASSERT_TRUE(error.starts_with("rank ")) << error;
      }
    }
}

// A schedule must not change if it is taken apart and built again. Otherwise, the mutations would
// prove nothing.
TEST_P(Mutation, NoneIsRight) {
  const Algorithm& algorithm = *GetParam();
  for (const int p : {2, 4, 6})
    for (const Shape& shape : sample_shapes(algorithm, p)) {
      std::vector<Schedule> again;
      for (const Schedule& each : test::schedules(algorithm, shape))
        again.push_back(Plan(each).build());
      EXPECT_EQ(verify(algorithm, shape, again), "");
    }
}

EVERY_ALGORITHM(Mutation);

}  // namespace
}  // namespace toccata
