#include "analysis/verify.h"

#include <algorithm>
#include <array>

#include "analysis/sizing.h"
#include "analysis/traffic.h"
#include "analysis/walk.h"

namespace toccata {

namespace {

std::string describe(Buffer buffer, int block) {
  return std::string(name(buffer)) + " block " + std::to_string(block);
}

class Proof : public WalkVisitor {
 public:
  Proof(const Collective& collective, const Shape& shape, std::span<const Schedule> schedules,
        bool in_place)
      : collective_(collective), shape_(shape), schedules_(schedules), in_place_(in_place) {
    for (int rank = 0; rank < shape.p; ++rank) {
      Memory& memory = ranks_.emplace_back(Sizing(collective, shape, rank, schedules[rank]));
      for (const Buffer buffer : {Buffer::send, Buffer::recv, Buffer::scratch}) {
        auto& blocks = memory.holds[static_cast<int>(buffer)];
        blocks.assign(memory.sizing.blocks(buffer), nothing);
        auto& touched = touched_[static_cast<int>(buffer)];
        touched.resize(std::max(touched.size(), blocks.size()));
      }
      for (const Buffer buffer : {Buffer::send, Buffer::recv})
        for (int block = 0; block < memory.sizing.blocks(buffer); ++block)
          if (const Datum datum = collective.before(shape, rank, buffer, block); datum != nothing)
            *place(rank, buffer, block) = datum;
    }
  }

  std::string run() {
    const WalkResult result = walk(schedules_, *this);
    rounds_ = result.rounds;
    if (!error_.empty()) return error_;
    if (!result.error.empty()) return result.error;
    return check_promise();
  }

  std::int64_t rounds() const { return rounds_; }

  void opened(int rank, int round) override {
    if (!error_.empty()) return;
    const Schedule& schedule = schedules_[rank];
    ++moment_;
    for (const Message& each : schedule.sends(round))
      for_each(rank, schedule.ranges(each), [&](Buffer buffer, int block) {
        touch(rank, buffer, block) = {moment_, false};
      });
    for (const Message& each : schedule.recvs(round))
      for_each(rank, schedule.ranges(each), [&](Buffer buffer, int block) {
        Touched& touched = touch(rank, buffer, block);
        if (buffer == Buffer::send)
          fail(rank, round,
               describe(buffer, block) + " is received into, but send is never written");
        else if (touched.moment == moment_)
          fail(rank, round,
               describe(buffer, block) +
                   (touched.written ? " is received twice" : " is received while it is sent"));
        touched = {moment_, true};
      });
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    move(sender, schedules_[sender].ranges(send), receiver, schedules_[receiver].ranges(receive));
  }

  void copied(int rank, int round, const Copy& copy) override {
    if (!error_.empty()) return;
    const Schedule& schedule = schedules_[rank];
    const auto from = schedule.from(copy);
    const auto into = schedule.into(copy);
    ++moment_;
    const bool onto_itself = std::ranges::equal(from, into) || is_own_place(rank, from, into);
    for_each(rank, from, [&](Buffer buffer, int block) {
      touch(rank, buffer, block) = {moment_, false};
    });
    for_each(rank, into, [&](Buffer buffer, int block) {
      Touched& touched = touch(rank, buffer, block);
      if (buffer == Buffer::send)
        fail(rank, round, describe(buffer, block) + " is copied into, but send is never written");
      else if (touched.moment == moment_ && !onto_itself)
        fail(rank, round, describe(buffer, block) + " is copied over itself or twice");
      touched = {moment_, true};
    });
    move(rank, from, rank, into);
  }

 private:
  struct Memory {
    explicit Memory(Sizing of_rank) : sizing(std::move(of_rank)) {}
    Sizing sizing;
    std::array<std::vector<Datum>, 3> holds;  // by buffer
  };
  // When a block was last touched; one table serves all ranks, as moments never repeat.
  struct Touched {
    std::int64_t moment = 0;
    bool written = false;
  };

  void fail(int rank, int round, const std::string& what) {
    if (error_.empty())
      error_ = "rank " + std::to_string(rank) + ", round " + std::to_string(round) + ": " + what;
  }

  // Calls visit(buffer, block), and stops at a block that is not there.
  template <typename Visit>
  void for_each(int rank, std::span<const BlockRange> ranges, Visit&& visit) {
    for (const BlockRange& range : ranges) {
      const int limit = ranks_[rank].sizing.blocks(range.buffer);
      for_each_block(range, [&](int block) {
        if (block >= 0 && block < limit)
          visit(range.buffer, block);
        else if (error_.empty())
          error_ = "rank " + std::to_string(rank) + ": there is no " +
                   describe(range.buffer, block) + " (of " + std::to_string(limit) + ")";
      });
    }
  }

  // In place, a send block is one of recv.
  std::pair<Buffer, int> resolve(int rank, Buffer buffer, int block) const {
    if (in_place_ && buffer == Buffer::send)
      return {Buffer::recv, collective_.in_place(shape_, rank, block)};
    return {buffer, block};
  }
  Touched& touch(int rank, Buffer buffer, int block) {
    const auto [where, index] = resolve(rank, buffer, block);
    return touched_[static_cast<int>(where)][index];
  }
  Datum* place(int rank, Buffer buffer, int block) {
    const auto [where, index] = resolve(rank, buffer, block);
    return &ranks_[rank].holds[static_cast<int>(where)][index];
  }
  bool is_own_place(int rank, std::span<const BlockRange> from, std::span<const BlockRange> into) {
    return in_place_ && from.size() == 1 && into.size() == 1 && from[0].blocks() == 1 &&
           into[0].blocks() == 1 &&
           resolve(rank, from[0].buffer, from[0].first) ==
               resolve(rank, into[0].buffer, into[0].first);
  }

  void move(int sender, std::span<const BlockRange> sent, int receiver,
            std::span<const BlockRange> received) {
    if (!error_.empty()) return;
    on_the_way_.clear();
    for_each(sender, sent, [&](Buffer buffer, int block) {
      const Datum datum = *place(sender, buffer, block);
      if (datum == nothing && error_.empty())
        error_ = "rank " + std::to_string(sender) + ": " + describe(buffer, block) +
                 " is moved before anything is in it";
      on_the_way_.push_back(datum);
    });
    std::size_t next = 0;
    for_each(receiver, received, [&](Buffer buffer, int block) {
      if (next >= on_the_way_.size()) return;
      const Datum datum = on_the_way_[next++];
      const Datum meant_for = ranks_[receiver].sizing(buffer, block);
      if (datum != meant_for && error_.empty())
        error_ = "rank " + std::to_string(receiver) + ": " + describe(buffer, block) +
                 " has the size of datum " + std::to_string(meant_for) + " and gets datum " +
                 std::to_string(datum);
      *place(receiver, buffer, block) = datum;
    });
  }

  std::string check_promise() {
    for (int rank = 0; rank < shape_.p; ++rank)
      for (int block = 0; block < ranks_[rank].sizing.blocks(Buffer::recv); ++block) {
        const Datum wanted = collective_.after(shape_, rank, Buffer::recv, block);
        const Datum found = *place(rank, Buffer::recv, block);
        if (wanted != nothing && found != wanted)
          return "rank " + std::to_string(rank) + ": at the end " + describe(Buffer::recv, block) +
                 " holds " + (found == nothing ? "nothing" : "datum " + std::to_string(found)) +
                 ", promised is datum " + std::to_string(wanted);
      }
    return "";
  }

  const Collective& collective_;
  const Shape& shape_;
  std::span<const Schedule> schedules_;
  bool in_place_;
  std::vector<Memory> ranks_;
  std::array<std::vector<Touched>, 3> touched_;
  std::vector<Datum> on_the_way_;
  std::int64_t moment_ = 0;
  std::int64_t rounds_ = 0;
  std::string error_;
};

std::string differ(const char* what, std::int64_t declared, std::int64_t found) {
  return declared == found ? ""
                           : std::string(what) + ": declared " + std::to_string(declared) +
                                 ", the schedule has " + std::to_string(found);
}

}  // namespace

std::string verify(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, bool in_place) {
  return Proof(collective, shape, schedules, in_place).run();
}

std::string verify(const Algorithm& algorithm, const Shape& shape, bool in_place) {
  std::vector<Schedule> schedules;
  Traffic found;
  for (int rank = 0; rank < shape.p; ++rank) {
    schedules.push_back(algorithm.schedule(shape, rank));
    found = largest(found, traffic(algorithm.collective, shape, rank, schedules.back()));
  }
  Proof proof(algorithm.collective, shape, schedules, in_place);
  if (std::string error = proof.run(); !error.empty()) return error;

  const Cost declared = algorithm.cost(shape);
  for (const std::string& error :
       {differ("rounds", declared.rounds, proof.rounds()),
        differ("messages a rank", declared.messages, found.messages),
        differ("blocks sent by a rank", declared.sent, found.sent),
        differ("blocks copied by a rank", declared.copied, found.copied)})
    if (!error.empty()) return error;
  return "";
}

std::vector<Shape> sample_shapes(const Algorithm& algorithm, int p) {
  std::vector<Shape> shapes{{p, Parameters(algorithm.parameters)}};
  for (const Parameter& parameter : algorithm.parameters) {
    std::vector<Shape> more;
    for (const Shape& shape : shapes)
      for (const int value : parameter.samples) {
        more.push_back(shape);
        more.back().parameters.set(parameter, value);
      }
    shapes = std::move(more);
  }
  std::erase_if(shapes, [&](const Shape& s) { return !algorithm.why_impossible(s).empty(); });
  return shapes;
}

}  // namespace toccata
