#include "schedule/builder.h"

#include "support.h"

namespace toccata {
namespace {

using test::expand;
using test::scratch;

Schedule example() {
  ScheduleBuilder schedule;
  const BlockRange temporary = schedule.scratch({recv(4, 2), send(0)});
  schedule.round().copy(send(0), recv(1)).round();
  schedule.round()
      .recv(3, recv(7), Travel::packed)
      .send(2, {recv(1), recv(5, 2)})
      .channel(1)
      .send(4, temporary)
      .copy({recv(0), recv(9)}, {{Buffer::scratch, 0, 2}});
  return std::move(schedule).build();
}

TEST(ScheduleBuilder, KeepsWhatBelongsToARoundTogether) {
  const Schedule schedule = example();
  ASSERT_EQ(schedule.rounds(), 3);
  EXPECT_EQ(schedule.channels(), 2);

  EXPECT_TRUE(schedule.sends(0).empty());
  EXPECT_TRUE(schedule.recvs(0).empty());
  ASSERT_EQ(schedule.steps(0).size(), 1U);
  EXPECT_EQ(schedule.from(schedule.steps(0)[0])[0], send(0));
  EXPECT_EQ(schedule.into(schedule.steps(0)[0])[0], recv(1));

  EXPECT_TRUE(schedule.sends(1).empty() && schedule.recvs(1).empty() && schedule.steps(1).empty());

  ASSERT_EQ(schedule.sends(2).size(), 2U);
  const Message& first = schedule.sends(2)[0];
  EXPECT_EQ(first.peer, 2);
  EXPECT_EQ(first.channel, 0);
  EXPECT_EQ(first.travel, Travel::whole);
  EXPECT_EQ(expand(schedule.ranges(first)), (std::vector{1, 5, 6}));
  const Message& second = schedule.sends(2)[1];
  EXPECT_EQ(second.peer, 4);
  EXPECT_EQ(second.channel, 1);
  EXPECT_EQ(schedule.ranges(second)[0], scratch(0, 3));

  ASSERT_EQ(schedule.recvs(2).size(), 1U);
  EXPECT_EQ(schedule.recvs(2)[0].peer, 3);
  EXPECT_EQ(schedule.recvs(2)[0].travel, Travel::packed);
  ASSERT_EQ(schedule.steps(2).size(), 1U);
  EXPECT_EQ(schedule.from(schedule.steps(2)[0]).size(), 2U);
  EXPECT_EQ(expand(schedule.into(schedule.steps(2)[0])), (std::vector{0, 1}));
}

TEST(ScheduleBuilder, NumbersScratchOnAndOn) {
  ScheduleBuilder schedule;
  EXPECT_EQ(schedule.scratch({recv(4, 2), send(0)}), scratch(0, 3));
  EXPECT_EQ(schedule.scratch({recv(0)}), scratch(3, 1));
  EXPECT_EQ(schedule.scratch({}), scratch(4, 0));
  const Schedule built = std::move(schedule).build();
  EXPECT_EQ(expand(built.scratch()), (std::vector{4, 5, 0, 0}));
}

TEST(ScheduleBuilder, DropsEmptyRoundsAtTheEndOnly) {
  ScheduleBuilder schedule;
  schedule.round().round().send(1, recv(0)).round().round();
  EXPECT_EQ(std::move(schedule).build().rounds(), 2);
  EXPECT_EQ(ScheduleBuilder().build().rounds(), 0);
}

TEST(ScheduleBuilder, AppendsARestWithItsScratchBehindOurs) {
  ScheduleBuilder schedule;
  schedule.scratch({recv(0, 5)});
  schedule.round().send(1, scratch(4));
  schedule.then(example());
  const Schedule whole = std::move(schedule).build();
  ASSERT_EQ(whole.rounds(), 4);
  EXPECT_EQ(whole.channels(), 2);
  EXPECT_EQ(whole.ranges(whole.sends(3)[1])[0], scratch(5, 3));
  EXPECT_EQ(whole.sends(3)[1].channel, 1);
  EXPECT_EQ(expand(whole.scratch()), (std::vector{0, 1, 2, 3, 4, 4, 5, 0}));
}

TEST(Schedule, PrescribesTravelOnlyWhereNothingIsPrescribed) {
  Schedule schedule = example();
  schedule.set_travel(Travel::per_block);
  EXPECT_EQ(schedule.sends(2)[0].travel, Travel::per_block);
  EXPECT_EQ(schedule.recvs(2)[0].travel, Travel::packed);
}

TEST(Schedule, CountsItsMemory) {
  EXPECT_EQ(Schedule().memory(), sizeof(Schedule));
  EXPECT_GT(example().memory(), sizeof(Schedule) + 3 * sizeof(Message) + sizeof(Step));
}

}  // namespace
}  // namespace toccata
