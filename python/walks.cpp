// The walk through the schedules of all ranks, reported to an object in Python.

#include "walks.h"

#include <nanobind/stl/vector.h>
#include <vector>

#include "choices/choice.h"
#include "proofs/walk.h"
#include "text.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

class InPython final : public WalkVisitor {
 public:
  InPython(const std::vector<Schedule>& schedules, const nb::object& visitor)
      : schedules_(schedules), visitor_(visitor) {}

  void opened(int rank, int round) override { visitor_.attr("opened")(rank, round); }
  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    visitor_.attr("moved")(sender, ranges(sender, send), receiver, ranges(receiver, receive));
  }
  void closed(int rank, int round) override { visitor_.attr("closed")(rank, round); }
  void stepped(int, int, const Step&) override {}  // Python reads copies from the round

 private:
  std::vector<BlockRange> ranges(int rank, const Message& message) const {
    const auto found = schedules_[rank].ranges(message);
    return {found.begin(), found.end()};
  }

  const std::vector<Schedule>& schedules_;
  nb::object visitor_;
};

}  // namespace

void bind_walks(nb::module_& module) {
  module.def(
      "walk",
      [](const std::vector<Schedule>& schedules, const nb::object& visitor) {
        InPython reported(schedules, visitor);
        return walk(schedules, reported);
      },
      "schedules"_a, "visitor"_a,
      "Runs the schedules of all ranks together, with synchronous sends (src/proofs/walk.h). "
      "Returns the error, or \"\".\n\n"
      "The visitor receives the events in an order that is possible in a real run: opened(rank, "
      "number) when a rank posts the messages of a round, none of which has moved yet; "
      "moved(sender, source, receiver, target) when a message moves from its send to its receive, "
      "with the block ranges of both; closed(rank, number) when all messages of the round have "
      "moved, before its copies.");
}
