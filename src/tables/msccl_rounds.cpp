#include "tables/msccl_rounds.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace toccata::msccl {

namespace {

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
                     std::to_string(sender) + " to gpu " + std::to_string(receiver) +
                     " on channel " + std::to_string(channel) +
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

}  // namespace

std::vector<Action> actions_by_rounds(const Program& program) { return Rounds(program).actions; }

}  // namespace toccata::msccl
