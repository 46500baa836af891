#include "node/board.h"

#include <gtest/gtest.h>
#include <vector>

#include "parts.h"

namespace toccata::node {
namespace {

class BoardTest : public testing::Test {
 protected:
  Board board(int own, std::uint64_t first_call = 1) {
    return {states_[own], parts_.all, own, first_call};
  }

  test::Parts parts_{2};
  PartState states_[2] = {PartState(parts_.all[0]), PartState(parts_.all[1])};
};

constexpr int rank_0[] = {0};
constexpr int rank_1[] = {1};

TEST_F(BoardTest, FindsWhatWasPublishedAtThatMoment) {
  Board writer = board(0), reader = board(1);
  const Moment now{writer.begin_call(), 0, 0};
  EXPECT_EQ(reader.find(0, now), nullptr);
  const Board::Place place = writer.open(now, writer.form(true, 5, 5));
  std::copy_n("hello", 5, place.data);
  EXPECT_EQ(reader.find(0, now), nullptr);
  writer.publish(place, now, rank_1);
  const Slot* const slot = reader.find(0, now);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(std::string(reader.data(0, now, *slot), 5), "hello");
  EXPECT_EQ(reader.find(0, {now.call + Part::slots, 0, 0}), nullptr);
}

// Calls 1 and 5 use the same slot.
TEST_F(BoardTest, WaitsForReadersBeforeASlotIsUsedAgain) {
  Board writer = board(0), reader = board(1);
  const Moment first{writer.begin_call(), 0, 0};
  writer.publish(writer.open(first, writer.form(true, 1, 1)), first, rank_1);
  const Moment again{first.call + Part::slots, 0, 0};
  EXPECT_FALSE(writer.is_free(again));
  reader.pass(first);  // has read all earlier publications
  EXPECT_FALSE(writer.is_free(again));
  reader.pass({first.call, 0, 1});
  EXPECT_TRUE(writer.is_free(again));
}

TEST_F(BoardTest, ARankThatPublishesHasFinishedEarlierCalls) {
  Board one = board(0), other = board(1);
  const Moment first{1, 0, 0}, second{2, 0, 0};
  one.publish(one.open(first, one.form(true, 1, 1)), first, rank_1);
  other.publish(other.open(second, other.form(true, 1, 1)), second, rank_0);
  EXPECT_FALSE(one.is_free({1 + Part::slots, 0, 0}));
  ASSERT_NE(one.find(1, second), nullptr);
  EXPECT_TRUE(one.is_free({1 + Part::slots, 0, 0}));
}

// A communicator is freed while a rank still reads its publications. The next communicator with the
// same part of the board waits for this rank.
TEST_F(BoardTest, APartOutlivesItsCommunicator) {
  {
    Board writer = board(0);
    const Moment last{writer.begin_call(), 0, 0};
    writer.publish(writer.open(last, writer.form(true, 1, 1)), last, rank_1);
  }
  Board next = board(0, 1 + Part::slots);
  const Moment moment{next.begin_call(), 0, 0};
  EXPECT_FALSE(next.is_free(moment));
  Board late = board(1);
  late.pass({1, 1, 0});
  EXPECT_TRUE(next.is_free(moment));
}

TEST_F(BoardTest, EachReaderHasItsOwnPiece) {
  Board writer = board(0), reader = board(1);
  const Moment now{writer.begin_call(), 2, 3};
  const auto place = writer.open(now, writer.form(false, 3, writer.piece(false)));
  EXPECT_GE(place.form.stride, 3U);
  std::copy_n("abc", 3, place.data + place.form.stride);
  writer.publish(place, now, rank_1);
  const Slot* const slot = reader.find(0, now);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(std::string(reader.data(0, now, *slot), 3), "abc");
}

// If all readers get the same message, its size is next to the flag; otherwise, and if it is
// direct, in front of the data.
TEST_F(BoardTest, AnnouncesTheSizeOfAMessage) {
  Board writer = board(0), reader = board(1);
  const Announcement message{5, "hello"};
  for (const bool common : {true, false})
    for (const bool direct : {false, true}) {
      const Moment now{writer.begin_call(), 0, 0};
      Board::Place place = direct ? writer.open_directly(now, common, 0)
                                  : writer.open(now, writer.form(common, 5 + 16, 5));
      EXPECT_EQ(place.of(1, message) - place.of(1), common && !direct ? 0 : 16);
      writer.publish(place, now, {});
      const Slot* const slot = reader.find(0, now);
      ASSERT_NE(slot, nullptr);
      const char* data = reader.data(0, now, *slot);
      const Announcement found = Board::announcement(*slot, data);
      EXPECT_EQ(found.bytes, 5);
      EXPECT_EQ(found.address, common && !direct ? nullptr : message.address);
      EXPECT_EQ(data - reader.data(0, now, *slot), common && !direct ? 0 : 16);
    }
}

// To fetch the lines of a later publication changes nothing.
TEST_F(BoardTest, FetchesLinesOfALaterPublication) {
  Board writer = board(0), reader = board(1);
  const Moment now{writer.begin_call(), 0, 0}, later{now.call + Part::slots, 0, 0};
  const Board::Place place = writer.open(now, writer.form(true, 5, 5));
  std::copy_n("hello", 5, place.data);
  writer.publish(place, now, rank_1);
  writer.fetch(later, writer.form(true, 4096, 0), 4096);
  EXPECT_FALSE(writer.is_free(later));
  const Slot* const slot = reader.find(0, now);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(std::string(reader.data(0, now, *slot), 5), "hello");
  reader.pass({now.call + 1, 0, 0});
  EXPECT_TRUE(writer.is_free(later));
  writer.fetch(later, writer.form(false, 4096, 0), 4096);
  EXPECT_EQ(reader.find(0, later), nullptr);
}

// A rank has large slots in its first part only, and a communicator may use other parts of other
// ranks. Two ranks never use large slots.
TEST(BoardPieces, HaveTheLengthOfTheLeastSlot) {
  const auto pieces = [](const std::vector<std::uint32_t>& slot_bytes) {
    const test::Parts parts(slot_bytes);
    std::vector<std::uint32_t> result;
    for (std::size_t rank = 0; rank < slot_bytes.size(); ++rank) {
      PartState state(parts.all[rank]);
      const Board board(state, parts.all, static_cast<int>(rank), 1);
      result.push_back(board.piece(true));
      EXPECT_LE(board.piece(false) * slot_bytes.size(), board.piece(true));
      EXPECT_LE(board.most_element(), Part::usual);
    }
    return result;
  };
  const std::uint32_t usual = Part::usual, large = Part::large;
  EXPECT_EQ(pieces({large, large, large}), std::vector(3, large));
  EXPECT_EQ(pieces({large, usual, large}), std::vector(3, usual));
  EXPECT_EQ(pieces({large, large}), std::vector(2, usual));
}

// A reader of one communicator is late, while the next communicator uses the part with other
// pieces: no slot moves.
TEST(BoardPieces, DoNotMoveTheDataOfSlots) {
  const std::uint32_t usual = Part::usual, large = Part::large;
  const test::Parts parts({large, large, usual});
  PartState states[] = {PartState(parts.all[0]), PartState(parts.all[1]), PartState(parts.all[2])};
  Board first(states[0], {parts.all[0], parts.all[1]}, 0, 1);
  const Board next(states[0], parts.all, 0, 2);
  for (std::uint32_t slot = 0; slot < Part::slots; ++slot)
    EXPECT_EQ(first.open({1, slot, 0}, first.form(true, 1000, 1000)).data,
              next.open({1, slot, 0}, next.form(true, 1000, 1000)).data);
}

}  // namespace
}  // namespace toccata::node
