#include "tables/msccl.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tables/msccl_rounds.h"
#include "writing/outside.h"

namespace toccata::msccl {

namespace {

// The places of chunks in our buffers. Chunks of `s` and `t`, and written chunks of `i`, are in
// scratch: one block per datum that is stored there, so that each block has the size of its datum.
class Writer {
 public:
  Writer(const Program& program, std::vector<Action> actions)
      : program_(program), collective_(*program.collective), actions_(std::move(actions)) {
    shape_.p = static_cast<int>(program.gpus.size());
    shape_.parts = parts();
    ranks_.resize(shape_.p);
    for (const Action& each : actions_)
      if (each.into.buffer == 'i')
        ranks_[each.type == Action::Type::message ? each.other : each.rank].writes_input = true;
  }

  // The number of chunks in a rank's part of the collective.
  int parts() const {
    const Gpu& first = program_.gpus.front();
    int chunks = std::max(first.input, first.output);
    for (const Gpu& each : program_.gpus)
      if (std::max(each.input, each.output) != chunks)
        throw MscclError("gpus have different numbers of chunks; expected the same number on all");
    if (&collective_ != &allreduce) {
      if (chunks % shape_.p != 0)
        throw MscclError(std::to_string(chunks) + " chunks cannot be divided among " +
                         std::to_string(shape_.p) + " gpus");
      chunks /= shape_.p;
    }
    if (chunks < 1) throw MscclError("there are no chunks");
    if (std::int64_t{chunks} * shape_.p * shape_.p > most_blocks)
      throw MscclError("there are too many chunks to convert");
    return chunks;
  }

  const Shape& shape() const { return shape_; }
  bool relays() const { return relays_; }

  std::vector<Schedule> write() {
    for (int rank = 0; rank < shape_.p; ++rank) begin(rank);
    int round = 0;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      const Action& action = actions_[i];
      while (round < action.round) {
        ++round;
        for (Rank& each : ranks_) each.builder.round();
      }
      if (action.type == Action::Type::message)
        write_message(action);
      else
        write_step(action);
    }
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < shape_.p; ++rank) {
      end(rank);
      schedules.push_back(std::move(ranks_[rank].builder).build());
    }
    return schedules;
  }

 private:
  struct Cell {
    BlockRange block{};
    Datum datum = nothing;
  };
  struct Rank {
    ScheduleBuilder builder;
    bool writes_input = false;
    std::map<std::pair<char, int>, Cell> chunks;          // their present contents
    std::map<std::tuple<char, int, Datum>, int> scratch;  // the block of each datum there
  };

  // Before the first round: contributions are where the program expects them.
  void begin(int rank) {
    Rank& self = ranks_[rank];
    self.builder.round();
    const int sends = collective_.blocks(shape_, rank, Buffer::send);
    const int recvs = collective_.blocks(shape_, rank, Buffer::recv);
    const auto sized = [&](Buffer buffer, int block) {
      return collective_.sized(shape_, rank, buffer, block);
    };
    const Gpu& gpu = program_.gpus[rank];
    if (program_.in_place && &collective_ == &allgather) {
      const int first = rank * shape_.parts;
      for (int i = 0; i < shape_.parts; ++i) {
        self.chunks[{'i', i}] =
            self.chunks[{'o', first + i}] = {recv(first + i), sized(Buffer::recv, first + i)};
      }
      self.builder.copy(send(0, shape_.parts), recv(first, shape_.parts));
    } else if (program_.in_place && &collective_ == &allreduce) {
      for (int i = 0; i < recvs; ++i)
        self.chunks[{'i', i}] = self.chunks[{'o', i}] = {recv(i), sized(Buffer::recv, i)};
      self.builder.copy(send(0, sends), recv(0, recvs));
    } else {
      for (int i = 0; i < std::min(sends, std::max(gpu.input, gpu.output)); ++i) {
        const Datum datum = sized(Buffer::send, i);
        Cell cell{send(i), datum};
        if (self.writes_input || (program_.in_place && &collective_ != &allgather)) {
          cell.block = scratch(rank, 'i', i, datum);
          self.builder.copy(send(i), cell.block);
        }
        self.chunks[{'i', i}] = cell;
      }
    }
  }

  // Copies the result from the input at the end of a program in place.
  void end(int rank) {
    Rank& self = ranks_[rank];
    if (program_.in_place && &collective_ == &reduce_scatter)
      for (int i = 0; i < shape_.parts; ++i)
        self.builder.copy(self.chunks.at({'i', rank * shape_.parts + i}).block, recv(i));
    if (program_.in_place && &collective_ == &alltoall)
      for (int i = 0; i < shape_.p * shape_.parts; ++i)
        if (const auto found = self.chunks.find({'i', i});
            found != self.chunks.end() && !self.chunks.contains({'o', i}))
          self.builder.copy(found->second.block, recv(i));
  }

  BlockRange scratch(int rank, char buffer, int chunk, Datum datum) {
    Rank& self = ranks_[rank];
    const auto [found, is_new] = self.scratch.try_emplace({buffer, chunk, datum}, 0);
    if (is_new) found->second = self.builder.scratch({like(rank, datum)}).first;
    return {Buffer::scratch, found->second};
  }

  // A block with the size of a datum. If ranks forward blocks of other ranks, a block that has this
  // size only if all blocks are equal.
  BlockRange like(int rank, Datum datum) {
    if (&collective_ == &allgather || &collective_ == &allreduce) return recv(datum);
    if (&collective_ == &reduce_scatter) return send(datum);
    const int part = datum % shape_.parts, pair = datum / shape_.parts;
    const int source = pair / shape_.p, destination = pair % shape_.p;
    if (source == rank) return send(destination * shape_.parts + part);
    if (destination == rank) return recv(source * shape_.parts + part);
    relays_ = true;
    return send(part);
  }

  Cell& read(int rank, Place place, int i, std::size_t line) {
    const auto found = ranks_[rank].chunks.find({place.buffer, key(place, i)});
    if (found == ranks_[rank].chunks.end())
      throw MscclError("line " + std::to_string(line) + ": gpu " + std::to_string(rank) +
                       " reads chunk " + std::to_string(place.chunk + i) + " of '" + place.buffer +
                       "' before it contains data");
    return found->second;
  }
  // In `t`, the chunks received by different thread blocks are separate.
  static int key(Place place, int i) {
    return place.buffer == 't' ? place.chunk * most_chunks_of_a_step + i : place.chunk + i;
  }

  const Cell& write(int rank, Place place, int i, Datum datum) {
    const int chunk = key(place, i);
    const bool is_recv =
        place.buffer == 'o' || (place.buffer == 'i' && program_.in_place &&
                                (&collective_ == &allgather || &collective_ == &allreduce));
    Cell cell{{}, datum};
    if (!is_recv) {
      cell.block = scratch(rank, place.buffer, chunk, datum);
    } else {
      const int block =
          place.buffer == 'i' && &collective_ == &allgather ? rank * shape_.parts + chunk : chunk;
      cell.block = recv(block);
      // A block that only passes through the output may have another size.
      if (block >= collective_.blocks(shape_, rank, Buffer::recv) ||
          collective_.sized(shape_, rank, Buffer::recv, block) != datum)
        cell.block = scratch(rank, place.buffer, chunk, datum);
    }
    Cell& kept = ranks_[rank].chunks[{place.buffer, chunk}] = cell;
    if (is_recv && program_.in_place && &collective_ == &allreduce)
      ranks_[rank].chunks[{place.buffer == 'i' ? 'o' : 'i', chunk}] = cell;
    return kept;
  }

  void write_message(const Action& action) {
    BlockRanges sent, received;
    for (int i = 0; i < action.count; ++i) {
      const Cell from = read(action.rank, action.from, i, action.line);
      append(sent, from.block);
      append(received, write(action.other, action.into, i, from.datum).block);
    }
    ranks_[action.rank].builder.send(action.other, sent);
    ranks_[action.other].builder.recv(action.rank, received);
  }

  void write_step(const Action& action) {
    if (action.type == Action::Type::reduce && !collective_.reduces)
      throw MscclError("line " + std::to_string(action.line) + ": " +
                       std::string(collective_.name) + " does not reduce");
    for (int i = 0; i < action.count; ++i) {
      const Cell from = read(action.rank, action.from, i, action.line);
      if (action.type == Action::Type::reduce) {
        const Cell into = read(action.rank, action.into, i, action.line);
        if (from.datum != into.datum)
          throw MscclError("line " + std::to_string(action.line) + ": gpu " +
                           std::to_string(action.rank) + " reduces chunks of different data");
        own_copy(action.rank, action.into, i, into);
        ranks_[action.rank].builder.reduce(from.block,
                                           read(action.rank, action.into, i, action.line).block);
      } else {
        ranks_[action.rank].builder.copy(from.block,
                                         write(action.rank, action.into, i, from.datum).block);
      }
    }
  }

  // The send buffer is never written.
  void own_copy(int rank, Place place, int i, const Cell& cell) {
    if (cell.block.buffer != Buffer::send) return;
    const BlockRange copied = scratch(rank, place.buffer, key(place, i), cell.datum);
    ranks_[rank].builder.copy(cell.block, copied);
    ranks_[rank].chunks[{place.buffer, key(place, i)}].block = copied;
  }

  const Program& program_;
  const Collective& collective_;
  std::vector<Action> actions_;
  Shape shape_;
  std::vector<Rank> ranks_;
  bool relays_ = false;
};

// The schedules of one number of ranks.
class Fixed final : public Outside {
 public:
  Fixed(std::vector<Schedule> schedules, int parts)
      : schedules_(std::move(schedules)), parts_(parts) {}

  std::string why_impossible(const Shape& shape) const override {
    return shape.p == static_cast<int>(schedules_.size())
               ? ""
               : "is a program for " + std::to_string(schedules_.size()) + " ranks";
  }
  int parts(const Shape&) const override { return parts_; }
  std::optional<Cost> claim(const Shape&) const override { return {}; }
  Schedule schedule(const Shape&, int rank) const override { return schedules_[rank]; }

 private:
  const std::vector<Schedule> schedules_;
  const int parts_;
};

}  // namespace

const Algorithm& add(std::string_view xml, std::string_view name) try {
  if (xml.size() > most_bytes) throw MscclError("is too large");
  const Program program = read_program(xml);
  Writer writer(program, actions_by_rounds(program));
  std::vector<Schedule> schedules = writer.write();
  const bool relays = writer.relays();
  return add_outside({.name = interned(name),
                      .collective = *program.collective,
                      .summary = interned("the MSCCL program " + program.name),
                      .citation = interned(name),
                      .blocks_alike = relays,
                      .relays = relays,
                      .write = nullptr},
                     std::make_unique<Fixed>(std::move(schedules), writer.shape().parts));
} catch (const std::invalid_argument& error) {
  throw MscclError(std::string(name) + ": " + error.what());
}

}  // namespace toccata::msccl
