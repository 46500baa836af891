#include "analysis/verify.h"

#include <algorithm>
#include <array>

#include "analysis/sizing.h"
#include "analysis/traffic.h"
#include "analysis/walk.h"

namespace toccata {

namespace {

// Every block of a rank is a cell: those of recv come first, then those of scratch and of send.
// In place, the send blocks are cells of recv, unless they are a copy of it.
class Proof : public WalkVisitor {
 public:
  Proof(const Collective& collective, const Shape& shape, std::span<const Schedule> schedules,
        bool in_place, bool blocks_alike)
      : collective_(collective),
        shape_(shape),
        schedules_(schedules),
        in_place_(in_place && collective.in_place != nullptr),
        blocks_alike_(blocks_alike) {
    for (int rank = 0; rank < shape.p; ++rank) {
      Memory& memory = ranks_.emplace_back(Sizing(collective, shape, rank, schedules[rank]));
      int cells = 0;
      for (const Buffer buffer : {Buffer::recv, Buffer::scratch, Buffer::send}) {
        memory.first[static_cast<int>(buffer)] = cells;
        cells += memory.sizing.blocks(buffer);
      }
      memory.holds.assign(cells, nothing);
      touched_.resize(std::max(touched_.size(), memory.holds.size()));
      for (const Buffer buffer : {Buffer::send, Buffer::recv}) {
        const int blocks = memory.sizing.blocks(buffer);
        for (int block = 0; block < blocks; ++block)
          if (const Datum datum = collective.before(shape, rank, buffer, block); datum != nothing)
            memory.holds[cell(rank, buffer, block)] = datum;
      }
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
    ranks_[rank].round = round;
    moment_ += 2;
    for (const Message& each : schedule.sends(round)) {
      expand(rank, schedule.ranges(each), cells_);
      mark_read(cells_);
    }
    for (const Message& each : schedule.recvs(round)) {
      const auto into = schedule.ranges(each);
      expand(rank, into, cells_);
      check_no_send(rank, into, "received");
      mark_written(rank, cells_, "is received while it is sent", "is received twice");
    }
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    if (!error_.empty()) return;
    const auto received = schedules_[receiver].ranges(receive);
    expand(sender, schedules_[sender].ranges(send), from_);
    expand(receiver, received, cells_);
    move(sender, receiver, received);
  }

  void stepped(int rank, int, const Step& copy) override {
    if (!error_.empty()) return;
    const Schedule& schedule = schedules_[rank];
    const auto into = schedule.into(copy);
    expand(rank, schedule.from(copy), from_);
    expand(rank, into, cells_);
    if (from_.size() != cells_.size())
      fail(rank, "a copy has " + std::to_string(from_.size()) + " blocks for " +
                     std::to_string(cells_.size()));
    check_no_send(rank, into, "copied");
    if (from_ != cells_) {  // a copy onto itself, as in place, changes nothing
      moment_ += 2;
      mark_read(from_);
      mark_written(rank, cells_, "is copied over itself", "is copied into twice");
    }
    move(rank, rank, into);
  }

 private:
  struct Memory {
    explicit Memory(Sizing of_rank) : sizing(std::move(of_rank)) {}
    Sizing sizing;
    std::array<int, 3> first = {};  // the first cell of each buffer
    std::vector<Datum> holds;       // by cell
    int round = 0;                  // the one that is open
  };

  void fail(int rank, const std::string& what) {
    if (error_.empty())
      error_ = "rank " + std::to_string(rank) + ", round " + std::to_string(ranks_[rank].round) +
               ": " + what;
  }

  int cell(int rank, Buffer buffer, int block) const {
    if (in_place_ && buffer == Buffer::send) return collective_.in_place(shape_, rank, block);
    return ranks_[rank].first[static_cast<int>(buffer)] + block;
  }

  static std::string describe(Buffer buffer, std::int64_t block) {
    return std::string(name(buffer)) + " block " + std::to_string(block);
  }
  std::string describe(int rank, int cell) const {
    const auto first = [&](Buffer buffer) { return ranks_[rank].first[static_cast<int>(buffer)]; };
    for (const Buffer buffer : {Buffer::send, Buffer::scratch})
      if (cell >= first(buffer)) return describe(buffer, cell - first(buffer));
    return describe(Buffer::recv, cell);
  }

  // Lists the cells of the blocks that `ranges` name, in order; those that are there.
  void expand(int rank, std::span<const BlockRange> ranges, std::vector<int>& cells) {
    cells.clear();
    for (const BlockRange& range : ranges) {
      const int limit = ranks_[rank].sizing.blocks(range.buffer);
      const std::int64_t reach = std::int64_t{range.repeat - 1} * range.stride;
      const std::int64_t lowest = range.first + std::min<std::int64_t>(reach, 0);
      const std::int64_t highest = range.first + std::max<std::int64_t>(reach, 0) + range.count - 1;
      if (lowest < 0 || highest >= limit)
        return fail(rank, "there is no " + describe(range.buffer, lowest < 0 ? lowest : highest) +
                              " (of " + std::to_string(limit) + ")");
      cells.resize(cells.size() + range.blocks());
      int* next = cells.data() + cells.size() - range.blocks();
      if (range.buffer == Buffer::send)
        for_each_block(range, [&](int block) { *next++ = cell(rank, range.buffer, block); });
      else
        for_each_block(range, [&, first = cell(rank, range.buffer, 0)](int block) {
          *next++ = first + block;
        });
    }
  }

  void check_no_send(int rank, std::span<const BlockRange> into, const std::string& how) {
    for (const BlockRange& range : into)
      if (range.buffer == Buffer::send)
        fail(rank, describe(range.buffer, range.first) + " is " + how +
                       " into, but send is never written");
  }

  void mark_read(std::span<const int> cells) {
    for (const int cell : cells) touched_[cell] = moment_;
  }
  void mark_written(int rank, std::span<const int> cells, const char* if_read,
                    const char* if_written) {
    for (const int cell : cells) {
      if (touched_[cell] >= moment_)
        fail(rank, describe(rank, cell) + " " + (touched_[cell] == moment_ ? if_read : if_written));
      touched_[cell] = moment_ + 1;
    }
  }

  // Moves what the cells from_ of one rank hold into the cells_ of another; `into` names their
  // blocks.
  void move(int sender, int receiver, std::span<const BlockRange> into) {
    if (!error_.empty()) return;
    const Datum* source = ranks_[sender].holds.data();
    Datum* target = ranks_[receiver].holds.data();
    on_the_way_.resize(from_.size());
    for (std::size_t i = 0; i < from_.size(); ++i) on_the_way_[i] = source[from_[i]];
    if (const auto hole = std::ranges::find(on_the_way_, nothing); hole != on_the_way_.end())
      return fail(sender, describe(sender, from_[hole - on_the_way_.begin()]) +
                              " is moved before anything is in it");
    for (std::size_t i = 0; i < cells_.size(); ++i) target[cells_[i]] = on_the_way_[i];

    if (blocks_alike_) return;
    const Sizing& sizing = ranks_[receiver].sizing;
    auto datum = on_the_way_.begin();
    for (const BlockRange& range : into)
      for_each_block(range, [&](int block) {
        if (const Datum meant_for = sizing(range.buffer, block); *datum != meant_for)
          fail(receiver, describe(range.buffer, block) + " has the size of datum " +
                             std::to_string(meant_for) + " and gets datum " +
                             std::to_string(*datum));
        ++datum;
      });
  }

  std::string check_promise() const {
    for (int rank = 0; rank < shape_.p; ++rank) {
      const int blocks = ranks_[rank].sizing.blocks(Buffer::recv);
      for (int block = 0; block < blocks; ++block) {
        const Datum wanted = collective_.after(shape_, rank, Buffer::recv, block);
        const Datum found = ranks_[rank].holds[block];
        if (wanted != nothing && found != wanted)
          return "rank " + std::to_string(rank) + ": at the end " + describe(Buffer::recv, block) +
                 " holds " + (found == nothing ? "nothing" : "datum " + std::to_string(found)) +
                 ", promised is datum " + std::to_string(wanted);
      }
    }
    return "";
  }

  const Collective& collective_;
  const Shape& shape_;
  std::span<const Schedule> schedules_;
  bool in_place_;
  bool blocks_alike_;
  std::vector<Memory> ranks_;
  // When a cell was last read (moment_) or written (moment_ + 1) by a message or copy; moments
  // never repeat, so one row serves all ranks.
  std::vector<std::int64_t> touched_;
  std::int64_t moment_ = 2;
  // What is being moved; members to keep their memory.
  std::vector<int> from_;
  std::vector<int> cells_;
  std::vector<Datum> on_the_way_;
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
                   std::span<const Schedule> schedules, bool in_place, bool blocks_alike) {
  return Proof(collective, shape, schedules, in_place, blocks_alike).run();
}

std::string verify(const Algorithm& algorithm, const Shape& shape, bool in_place) {
  std::vector<Schedule> schedules;
  Traffic found;
  for (int rank = 0; rank < shape.p; ++rank) {
    schedules.push_back(algorithm.schedule(shape, rank));
    found = largest(found, traffic(algorithm.collective, shape, rank, schedules.back()));
  }
  Proof proof(algorithm.collective, shape, schedules, in_place, algorithm.blocks_alike);
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

std::int64_t proof_effort(const Algorithm& algorithm, const Shape& shape) {
  const Cost cost = algorithm.cost(shape);
  return shape.p * (10 * cost.messages + cost.sent + cost.copied) +
         std::int64_t{algorithm.collective.data(shape)};
}

bool differs_in_place(const Collective& collective) { return collective.in_place != nullptr; }

}  // namespace toccata
