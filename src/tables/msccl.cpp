#include "tables/msccl.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "text/printable.h"
#include "text/xml.h"
#include "writing/outside.h"

namespace toccata::msccl {

namespace {

constexpr int most_gpus = 4096;
constexpr int most_chunks = 1 << 18;  // of a buffer
constexpr int most_chunks_of_a_step = 4096;
constexpr int most_thread_blocks = 1 << 16;    // of a gpu
constexpr std::int64_t most_blocks = 1 << 24;  // in all messages and local steps

// The program as in the file.

enum class Kind : std::uint8_t {
  send,
  recv,
  recv_copy_send,
  recv_reduce,
  recv_reduce_send,
  recv_reduce_copy_send,
  copy,
  reduce,
  nothing
};

struct KindWord {
  std::string_view word;
  Kind kind;
  bool receives, sends;
};
constexpr std::array kinds{
    KindWord{"s", Kind::send, false, true},
    KindWord{"r", Kind::recv, true, false},
    KindWord{"rcs", Kind::recv_copy_send, true, true},
    KindWord{"rrc", Kind::recv_reduce, true, false},
    KindWord{"rrs", Kind::recv_reduce_send, true, true},
    KindWord{"rrcs", Kind::recv_reduce_copy_send, true, true},
    KindWord{"cpy", Kind::copy, false, false},
    KindWord{"re", Kind::reduce, false, false},
    KindWord{"nop", Kind::nothing, false, false},
};

struct Place {
  char buffer;  // i, o, s
  int chunk;
};

struct ProgramStep {
  const KindWord* kind;
  Place from, into;
  int count;
  int depends_block, depends_step;  // -1: on nothing
  std::size_t line;
};

struct ThreadBlock {
  int send = -1, recv = -1, channel = 0;
  std::vector<ProgramStep> steps;
};

struct Gpu {
  int input = 0, output = 0, scratch = 0;  // chunks
  std::vector<ThreadBlock> blocks;
};

struct Program {
  std::string name;
  const Collective* collective = nullptr;
  bool in_place = false;
  std::vector<Gpu> gpus;
};

class Parser {
 public:
  explicit Parser(std::string_view xml) : tags_(xml) {}

  Program read() {
    Program program;
    next();
    open("algo");
    if (tag_.closes) fail("algo has no gpus");
    program.name = printable(text("name"));
    program.collective = collective(text("coll"));
    const std::string_view* const in_place = tag_.find("inplace");
    program.in_place = in_place != nullptr && *in_place == "1";
    program.gpus.resize(number("ngpus", 1, most_gpus));
    std::vector<bool> seen(program.gpus.size());
    while (next(), !is_end("algo")) {
      open("gpu");
      const int id = number("id", 0, static_cast<int>(program.gpus.size()) - 1);
      if (seen[id]) fail("gpu " + std::to_string(id) + " occurs twice");
      seen[id] = true;
      read_gpu(program.gpus[id]);
    }
    if (const auto missing = std::ranges::find(seen, false); missing != seen.end())
      fail("gpu " + std::to_string(missing - seen.begin()) + " is missing");
    if (tags_.next(tag_)) fail("unexpected text after </algo>");
    return program;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw MscclError("line " + std::to_string(tags_.line()) + ": " + printable(what));
  }
  void next() {
    if (!tags_.next(tag_)) fail("the file ends early");
  }
  bool is_end(std::string_view name) const {
    return tag_.closes && !tag_.opens && tag_.name == name;
  }
  void open(std::string_view name) {
    if (!tag_.opens || tag_.name != name)
      fail("expected <" + std::string(name) + ">, found <" + (tag_.opens ? "" : "/") +
           std::string(tag_.name.substr(0, 32)) + ">");
  }
  std::string_view text(std::string_view attribute) const {
    const std::string_view* const found = tag_.find(attribute);
    if (found == nullptr)
      fail(std::string(tag_.name) + " has no attribute " + std::string(attribute));
    return *found;
  }
  int number(std::string_view attribute, int least, int most) const {
    const std::string_view digits = text(attribute);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < least ||
        value > most)
      fail(std::string(attribute) + " is \"" + std::string(digits.substr(0, 32)) + "\"; expected " +
           std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(value);
  }
  const Collective* collective(std::string_view name) const {
    for (const auto& [word, meant] :
         {std::pair<std::string_view, const Collective*>{"allgather", &toccata::allgather},
          {"allreduce", &toccata::allreduce},
          {"alltoall", &toccata::alltoall},
          {"reduce_scatter", &toccata::reduce_scatter},
          {"reducescatter", &toccata::reduce_scatter}})
      if (name == word) return meant;
    fail("programs of \"" + std::string(name.substr(0, 32)) +
         "\" cannot be converted; expected allgather, allreduce, alltoall or reduce_scatter");
  }

  void read_gpu(Gpu& gpu) {
    gpu.input = number("i_chunks", 0, most_chunks);
    gpu.output = number("o_chunks", 0, most_chunks);
    gpu.scratch = number("s_chunks", 0, most_chunks);
    if (tag_.closes) return;
    while (next(), !is_end("gpu")) {
      open("tb");
      ThreadBlock& block = gpu.blocks.emplace_back();
      if (number("id", 0, most_thread_blocks) != static_cast<int>(gpu.blocks.size()) - 1)
        fail("thread blocks are not numbered 0, 1, 2, ...");
      block.send = number("send", -1, most_gpus);
      block.recv = number("recv", -1, most_gpus);
      block.channel = number("chan", -1, most_chunks);
      if (tag_.closes) continue;
      while (next(), !is_end("tb")) {
        open("step");
        block.steps.push_back(read_step(static_cast<int>(block.steps.size())));
        if (!tag_.closes && (next(), !is_end("step"))) fail("expected </step>");
      }
    }
  }

  ProgramStep read_step(int expected) {
    if (number("s", 0, most_chunks) != expected) fail("steps are not numbered 0, 1, 2, ...");
    const std::string_view type = text("type");
    const auto kind = std::ranges::find(kinds, type, &KindWord::word);
    if (kind == kinds.end())
      fail("a step of type \"" + std::string(type.substr(0, 32)) +
           "\" cannot be converted; expected one of s, r, rcs, rrc, rrs, rrcs, cpy, re, nop");
    ProgramStep step{&*kind,
                     {'i', 0},
                     {'i', 0},
                     0,
                     number("depid", -1, most_chunks),
                     number("deps", -1, most_chunks),
                     tags_.line()};
    if (kind->kind == Kind::nothing) return step;
    step.from = place("srcbuf", "srcoff");
    step.into = place("dstbuf", "dstoff");
    step.count = number("cnt", 0, most_chunks);
    return step;
  }
  Place place(std::string_view buffer, std::string_view offset) const {
    const std::string_view word = text(buffer);
    if (word != "i" && word != "o" && word != "s")
      fail(std::string(buffer) + " is \"" + std::string(word.substr(0, 32)) +
           "\"; expected i, o or s");
    return {word.front(), number(offset, -1, most_chunks)};
  }

  XmlTags tags_;
  XmlTags::Tag tag_;
};

// A message, or a local step.
struct Action {
  enum class Type : std::uint8_t { message, copy, reduce, none } type = Type::none;
  int rank = 0;          // the sender's
  int other = -1;        // the receiver's
  Place from{}, into{};  // buffer `t` holds received chunks to be reduced, by thread block
  int count = 0;
  std::size_t line = 0;
  // The actions before it, and the minimum number of rounds between them.
  std::vector<std::pair<int, int>> after = {};
  int round = 0;
};

// Assigns rounds to the actions of a program. No action is in an earlier round than the previous
// ones of its thread block, or those on which it depends. A message is in a later round than
// earlier local steps, and than messages that move the same chunks. But MSCCL buffers sent chunks,
// so two ranks may each send before they receive:
//
//   gpu 0   s to 1, r from 1      gpu 1   s to 0, r from 0        is one round on both
//
// Local steps run after the messages of their round have arrived.
class Rounds {
 public:
  explicit Rounds(const Program& program) : program_(program) {
    for (int rank = 0; rank < p(); ++rank) list(rank);
    match();
    for (const auto& [line, block, step, rank, action] : dependencies_) {
      const auto& blocks = program_.gpus[rank].blocks;
      if (block >= static_cast<int>(blocks.size()) || step < 0 ||
          step >= static_cast<int>(blocks[block].steps.size()))
        throw MscclError("line " + std::to_string(line) + ": it depends on step " +
                         std::to_string(step) + " of thread block " + std::to_string(block) +
                         ", which does not exist");
      after(action, last_[rank][block][step], true);
    }
    order();
  }

  std::vector<Action> actions;  // by round, messages first, otherwise in a possible order

 private:
  struct Dependency {
    std::size_t line;
    int block, step, rank, action;
  };
  struct Half {  // of a message, before its other half is found
    int action;
    int count;
    Place place;
    std::size_t line;
  };
  using Connection = std::tuple<int, int, int>;  // sender, receiver, channel

  // Chunks moved by messages of a thread block since the last action that they must follow.
  struct Moved {
    Place place;
    int count;
    bool written;
  };
  struct Chain {
    int before = -1;
    std::vector<Moved> moved = {};
    int received = 0;  // steps that receive into no buffer
  };
  static constexpr std::size_t most_moved = 64;

  int p() const { return static_cast<int>(program_.gpus.size()); }

  int add(Action::Type type, int rank, std::size_t line) {
    actions.push_back({.type = type, .rank = rank, .line = line});
    return static_cast<int>(actions.size()) - 1;
  }
  // `later`: in a later round, if it is a message.
  void after(int action, int before, bool later) {
    if (before < 0 || before == action) return;
    const bool message = actions[real(action)].type == Action::Type::message;
    actions[real(action)].after.emplace_back(real(before), message && later ? 1 : 0);
  }
  // A message has two halves; the sender's represents both.
  int real(int action) const {
    return action < static_cast<int>(halves_.size()) && halves_[action] >= 0 ? halves_[action]
                                                                             : action;
  }

  void go_on(Chain& chain, int action) {  // with a local step
    after(action, chain.before, false);
    chain.before = action;
    chain.moved.clear();
  }
  void go_on(Chain& chain, int action, const Moved& moves) {
    const bool is_message =
        chain.before >= 0 && actions[chain.before].type == Action::Type::message;
    const bool touched = std::ranges::any_of(chain.moved, [&](const Moved& each) {
      return (each.written || moves.written) && each.place.buffer == moves.place.buffer &&
             each.place.chunk < moves.place.chunk + moves.count &&
             moves.place.chunk < each.place.chunk + each.count;
    });
    const bool later = !is_message || touched || chain.moved.size() >= most_moved;
    if (later) chain.moved.clear();
    after(action, chain.before, later);
    chain.before = action;
    chain.moved.push_back(moves);
  }

  void list(int rank) {
    const Gpu& gpu = program_.gpus[rank];
    auto& ends = last_.emplace_back();
    for (int number = 0; number < static_cast<int>(gpu.blocks.size()); ++number) {
      const ThreadBlock& block = gpu.blocks[number];
      auto& ends_of_block = ends.emplace_back();
      Chain chain;
      for (const ProgramStep& step : block.steps) {
        const int first = static_cast<int>(actions.size());
        if (step.kind->kind == Kind::nothing || step.count == 0)
          go_on(chain, add(Action::Type::none, rank, step.line));
        else
          list(rank, number, block, step, chain);
        if (step.depends_block >= 0)
          dependencies_.push_back({step.line, step.depends_block, step.depends_step, rank, first});
        ends_of_block.push_back(chain.before);
      }
    }
  }

  // The parts of a step: receiving, local work, sending.
  void list(int rank, int number, const ThreadBlock& block, const ProgramStep& step, Chain& chain) {
    if ((blocks_ += step.count) > most_blocks)
      throw MscclError("line " + std::to_string(step.line) +
                       ": the program has too many steps to convert");
    if (step.count > most_chunks_of_a_step)
      throw MscclError("line " + std::to_string(step.line) + ": a step of more than " +
                       std::to_string(most_chunks_of_a_step) + " chunks cannot be converted");
    const bool reduces = step.kind->kind == Kind::recv_reduce ||
                         step.kind->kind == Kind::recv_reduce_send ||
                         step.kind->kind == Kind::recv_reduce_copy_send;
    const bool stores = step.kind->kind != Kind::recv_reduce_send;
    // A received chunk to be reduced is kept until it is sent, while the next one arrives.
    const Place received{'t', 2 * number + (chain.received++ & 1)};
    const auto from = [&] { return checked(rank, step.from, step); };
    const auto into = [&] { return checked(rank, step.into, step); };
    if (step.kind->receives) {
      check_peer(rank, block.recv, step.line);
      const int action = add(Action::Type::message, rank, step.line);
      const Place to = reduces ? received : into();
      incoming_[{block.recv, rank, block.channel}].push_back({action, step.count, to, step.line});
      go_on(chain, action, {to, to.buffer == 't' ? 1 : step.count, true});
    }
    if (reduces && stores) {
      if (from().buffer != into().buffer || from().chunk != into().chunk)
        go_on(chain, local(Action::Type::copy, rank, step, from(), into()));
      go_on(chain, local(Action::Type::reduce, rank, step, received, into()));
    } else if (reduces) {
      go_on(chain, local(Action::Type::reduce, rank, step, from(), received));
    }
    if (step.kind->kind == Kind::copy || step.kind->kind == Kind::reduce)
      go_on(chain, local(step.kind->kind == Kind::copy ? Action::Type::copy : Action::Type::reduce,
                         rank, step, from(), into()));
    if (step.kind->sends) {
      check_peer(rank, block.send, step.line);
      const int action = add(Action::Type::message, rank, step.line);
      const Place sent = !step.kind->receives ? from() : reduces && !stores ? received : into();
      outgoing_[{rank, block.send, block.channel}].push_back({action, step.count, sent, step.line});
      go_on(chain, action, {sent, sent.buffer == 't' ? 1 : step.count, false});
    }
  }

  int local(Action::Type type, int rank, const ProgramStep& step, Place from, Place into) {
    const int action = add(type, rank, step.line);
    actions[action].from = from;
    actions[action].into = into;
    actions[action].count = step.count;
    return action;
  }

  void check_peer(int rank, int peer, std::size_t line) const {
    if (peer < 0 || peer >= p() || peer == rank)
      throw MscclError("line " + std::to_string(line) + ": gpu " + std::to_string(rank) +
                       " has no peer " + std::to_string(peer));
  }
  Place checked(int rank, Place place, const ProgramStep& step) const {
    const Gpu& gpu = program_.gpus[rank];
    const int chunks = place.buffer == 'i'   ? gpu.input
                       : place.buffer == 'o' ? gpu.output
                                             : gpu.scratch;
    if (place.chunk < 0 || place.chunk + step.count > chunks)
      throw MscclError("line " + std::to_string(step.line) + ": gpu " + std::to_string(rank) +
                       " has no chunk " + std::to_string(place.chunk + step.count - 1) + " of '" +
                       place.buffer + "' (of " + std::to_string(chunks) + ")");
    return place;
  }

  // The i-th message sent on a connection is the i-th received: both halves become one action.
  void match() {
    halves_.assign(actions.size(), -1);
    for (const auto& [connection, sent] : outgoing_) {
      const auto found = incoming_.find(connection);
      const std::size_t received = found == incoming_.end() ? 0 : found->second.size();
      for (std::size_t i = 0; i < sent.size(); ++i) {
        if (i >= received) complain_of_half(connection, sent[i], true);
        const Half& to = found->second[i];
        if (to.count != sent[i].count)
          throw MscclError("line " + std::to_string(to.line) + ": " + std::to_string(to.count) +
                           " chunks are received, but line " + std::to_string(sent[i].line) +
                           " sends " + std::to_string(sent[i].count));
        Action& action = actions[sent[i].action];
        action.other = std::get<1>(connection);
        action.from = sent[i].place;
        action.into = to.place;
        action.count = to.count;
        halves_[to.action] = sent[i].action;
      }
      if (received > sent.size()) complain_of_half(connection, found->second[sent.size()], false);
    }
    for (const auto& [connection, received] : incoming_)
      if (!outgoing_.contains(connection)) complain_of_half(connection, received.front(), false);
    for (int i = 0; i < static_cast<int>(actions.size()); ++i) {
      for (auto& [before, rounds] : actions[i].after) before = real(before);
      if (halves_[i] < 0) continue;
      for (const auto& each : actions[i].after)
        if (each.first != halves_[i]) actions[halves_[i]].after.push_back(each);
      actions[i] = {.rank = actions[i].rank, .line = actions[i].line};
    }
  }
  [[noreturn]] static void complain_of_half(const Connection& connection, const Half& half,
                                            bool sent) {
    const auto& [sender, receiver, channel] = connection;
    throw MscclError("line " + std::to_string(half.line) + ": the message of gpu " +
                     std::to_string(sender) + (sent ? " to" : " to") + " gpu " +
                     std::to_string(receiver) + " on channel " + std::to_string(channel) +
                     (sent ? " is never received" : " never comes"));
  }

  // Actions that wait for each other in a circle must be in one round, otherwise they wait forever.
  // Tarjan's algorithm finds circles. It completes a circle after all actions that precede the
  // circle.
  void order() {
    const int number = static_cast<int>(actions.size());
    constexpr int unseen = -1;
    std::vector<int> index(number, unseen), low(number), circle(number, -1), open, at(number);
    std::vector<int> path, sequence;
    int next = 0, circles = 0;
    for (int start = 0; start < number; ++start) {
      if (index[start] != unseen) continue;
      path = {start};
      while (!path.empty()) {
        const int i = path.back();
        if (index[i] == unseen) {
          index[i] = low[i] = next++;
          open.push_back(i);
        }
        if (at[i] < static_cast<int>(actions[i].after.size())) {
          const int before = actions[i].after[at[i]++].first;
          if (index[before] == unseen)
            path.push_back(before);
          else if (circle[before] < 0)
            low[i] = std::min(low[i], index[before]);
          continue;
        }
        path.pop_back();
        if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[i]);
        if (low[i] == index[i]) end_circle(i, circles++, open, circle, sequence);
      }
    }
    std::ranges::stable_sort(sequence, {}, [&](int i) {
      return std::pair(actions[i].round, actions[i].type == Action::Type::message ? 0 : 1);
    });
    std::vector<Action> sorted;
    for (const int each : sequence)
      if (actions[each].type != Action::Type::none) sorted.push_back(std::move(actions[each]));
    actions = std::move(sorted);
  }

  void end_circle(int last, int number, std::vector<int>& open, std::vector<int>& circle,
                  std::vector<int>& sequence) {
    const auto first = std::ranges::find(open, last);
    const std::vector<int> members(first, open.end());
    open.erase(first, open.end());
    for (const int each : members) circle[each] = number;
    int round = 0;
    for (const int each : members) {
      if (actions[each].type == Action::Type::message) round = std::max(round, 1);
      for (const auto& [before, rounds] : actions[each].after) {
        if (circle[before] == number && (rounds > 0 || actions[each].type != Action::Type::message))
          throw MscclError("line " + std::to_string(actions[each].line) + ": gpu " +
                           std::to_string(actions[each].rank) +
                           " deadlocks: this step depends on a step that waits for it");
        if (circle[before] != number) round = std::max(round, actions[before].round + rounds);
      }
    }
    for (const int each : members) {
      actions[each].round = round;
      sequence.push_back(each);
    }
    std::ranges::sort(sequence.end() - static_cast<std::ptrdiff_t>(members.size()), sequence.end());
  }

  const Program& program_;
  std::vector<std::vector<std::vector<int>>> last_;  // by rank, thread block and step
  std::vector<Dependency> dependencies_;
  std::map<Connection, std::vector<Half>> outgoing_, incoming_;
  std::vector<int> halves_;  // of received chunks: the action that sends them
  std::int64_t blocks_ = 0;
};

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
  const Program program = Parser(xml).read();
  Writer writer(program, Rounds(program).actions);
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
