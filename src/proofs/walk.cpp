#include "proofs/walk.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace toccata {

namespace {

std::int64_t count_blocks(std::span<const BlockRange> ranges) {
  std::int64_t total = 0;
  for (const BlockRange& range : ranges) total += range.blocks();
  return total;
}

struct Posted {
  const Message* message;
  int sender;
  bool is_send;
};

// The messages without a counterpart at one receiver, in the order of posting for each sender and
// channel. Usually few; in an all-to-all in one round, up to the messages of all ranks.
class Waiting {
 public:
  // Removes and returns the first waiting counterpart of that message. If there is none, returns
  // null, and the message waits.
  const Message* meet(const Posted& posted) {
    const auto [list, found] = find(posted.sender, posted.message->channel);
    if (list == nullptr || (*list)[found].is_send == posted.is_send) {
      add(posted, list);
      return nullptr;
    }
    const Message* const counterpart = (*list)[found].message;
    list->erase(list->begin() + found);
    if (list != &few_ && list->empty()) many_.erase(key(posted.sender, posted.message->channel));
    return counterpart;
  }

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Posted& each : few_) visit(each);
    for (const auto& [key, list] : many_)
      for (const Posted& each : list) visit(each);
  }

 private:
  using List = std::vector<Posted>;
  static constexpr std::size_t few = 32;  // up to this number, a search is as fast as a table

  static std::uint64_t key(int sender, std::uint16_t channel) {
    return static_cast<std::uint64_t>(sender) << 16 | channel;
  }

  // The first message of a sender and channel. All messages of these are in the same list.
  std::pair<List*, std::ptrdiff_t> find(int sender, std::uint16_t channel) {
    const auto first = std::ranges::find_if(few_, [&](const Posted& each) {
      return each.sender == sender && each.message->channel == channel;
    });
    if (first != few_.end()) return {&few_, first - few_.begin()};
    if (many_.empty()) return {nullptr, 0};
    const auto others = many_.find(key(sender, channel));
    return {others == many_.end() ? nullptr : &others->second, 0};
  }

  void add(const Posted& posted, List* of_its_kind) {
    if (of_its_kind == nullptr && few_.size() >= few)
      of_its_kind = &many_[key(posted.sender, posted.message->channel)];
    (of_its_kind == nullptr ? few_ : *of_its_kind).push_back(posted);
  }

  List few_;
  std::unordered_map<std::uint64_t, List> many_;
};

class Walk {
 public:
  Walk(std::span<const Schedule> schedules, WalkVisitor& visitor)
      : schedules_(schedules),
        visitor_(visitor),
        ranks_(schedules.size()),
        waiting_(schedules.size()) {}

  std::string run() {
    for (int rank = 0; rank < p(); ++rank) ready_.push_back(rank);
    while (!ready_.empty() && error_.empty()) {
      const int rank = ready_.back();
      ready_.pop_back();
      open_rounds(rank);
    }
    return error_.empty() ? describe_deadlock() : error_;
  }

 private:
  struct Rank {
    int round = 0;
    int in_flight = 0;  // messages of the open round that have not met their counterpart
  };
  int p() const { return static_cast<int>(schedules_.size()); }

  // Opens rounds until one must wait for other ranks.
  void open_rounds(int rank) {
    Rank& self = ranks_[rank];
    const Schedule& schedule = schedules_[rank];
    while (self.round < schedule.rounds() && error_.empty()) {
      const auto sends = schedule.sends(self.round);
      const auto recvs = schedule.recvs(self.round);
      self.in_flight = static_cast<int>(sends.size() + recvs.size());
      if (self.in_flight == 0) {
        visitor_.opened(rank, self.round);
        close_round(rank);
        continue;
      }
      visitor_.opened(rank, self.round);
      if (publishes_twice(sends)) {
        error_ = at(rank) + "publishes two messages for the same rank on one channel";
        return;
      }
      for (const Message& each : recvs) post(rank, each, false);
      for (const Message& each : sends) post(rank, each, true);
      return;  // the last counterpart closes the round and makes us ready again
    }
  }

  static bool publishes_twice(std::span<const Message> sends) {
    std::vector<std::pair<int, int>> published;
    for (const Message& each : sends)
      if (each.travel == Travel::published) published.emplace_back(each.peer, each.channel);
    std::ranges::sort(published);
    return std::ranges::adjacent_find(published) != published.end();
  }

  void close_round(int rank) {
    Rank& self = ranks_[rank];
    visitor_.closed(rank, self.round);
    for (const Step& each : schedules_[rank].steps(self.round))
      visitor_.stepped(rank, self.round, each);
    ++self.round;
  }

  void post(int rank, const Message& message, bool is_send) {
    if (!error_.empty()) return;
    if (message.peer < 0 || message.peer >= p() || message.peer == rank) {
      error_ =
          at(rank) + (message.peer == rank ? "a rank cannot be its own peer"
                                           : "there is no peer " + std::to_string(message.peer));
      return;
    }
    const int sender = is_send ? rank : message.peer;
    const int receiver = is_send ? message.peer : rank;
    if (const Message* const counterpart = waiting_[receiver].meet({&message, sender, is_send}))
      meet(sender, is_send ? message : *counterpart, receiver, is_send ? *counterpart : message);
  }

  void meet(int sender, const Message& send, int receiver, const Message& receive) {
    const auto sent = schedules_[sender].ranges(send);
    const auto received = schedules_[receiver].ranges(receive);
    const auto complain = [&](const std::string& what) {
      error_ = at(receiver) + "message from rank " + std::to_string(sender) + " " + what;
    };
    if (count_blocks(sent) != count_blocks(received))
      return complain("has " + std::to_string(count_blocks(sent)) + " blocks; expected " +
                      std::to_string(count_blocks(received)));
    if (send.travel != receive.travel)
      return complain(std::string("is sent as ") + name(send.travel) + "; expected " +
                      name(receive.travel));
    if (send.travel == Travel::published && ranks_[sender].round != ranks_[receiver].round)
      return complain("is in shared memory in the sender's round " +
                      std::to_string(ranks_[sender].round) +
                      "; the receiver must read it in the same round");

    visitor_.moved(sender, send, receiver, receive);
    for (const int rank : {sender, receiver}) {
      if (--ranks_[rank].in_flight == 0) {
        close_round(rank);
        ready_.push_back(rank);
      }
    }
  }

  std::string at(int rank) const {
    return "rank " + std::to_string(rank) + ", round " + std::to_string(ranks_[rank].round) + ": ";
  }

  template <typename Visit>  // visit(poster, posted)
  void for_each_waiting(Visit&& visit) const {
    for (int receiver = 0; receiver < p(); ++receiver)
      waiting_[receiver].for_each(
          [&](const Posted& each) { visit(each.is_send ? each.sender : receiver, each); });
  }

  // Names the lowest unfinished rank, and the state of its peer; or a rank that waits for a message
  // that went to another rank.
  std::string describe_deadlock() const {
    if (const std::string elsewhere = describe_wrong_peer(); !elsewhere.empty()) return elsewhere;
    int lowest = p();
    Posted first{};
    for_each_waiting([&](int poster, const Posted& each) {
      if (poster >= lowest) return;
      lowest = poster;
      first = each;
    });
    return lowest == p() ? "" : describe_wait(lowest, first) + describe_peer(first.message->peer);
  }

  std::string describe_wait(int rank, const Posted& posted) const {
    return at(rank) + "waits forever to " +
           (posted.is_send ? "send to rank " : "receive from rank ") +
           std::to_string(posted.message->peer) + "; ";
  }

  // Finds a message that its receiver never takes, and for whose sender another rank waits. Prefers
  // ranks that wait to receive. On three ranks, if rank 1 should send to rank 2:
  //
  //   rank 2, round 1: waits forever to receive from rank 1; rank 1, round 1: sends to rank 0, ...
  std::string describe_wrong_peer() const {
    std::vector<std::string> where(p());  // one such message per rank, if there is one
    for_each_waiting([&](int poster, const Posted& each) {
      const int peer = each.message->peer;
      if (each.is_send && where[poster].empty() && !takes(peer, *each.message, poster))
        where[poster] = at(poster) + "sends to rank " + std::to_string(peer) +
                        ", which never receives the message";
    });
    std::string result;
    for (const bool to_send : {false, true})
      for_each_waiting([&](int poster, const Posted& each) {
        const std::string& of_peer = where[each.message->peer];
        if (result.empty() && each.is_send == to_send && !of_peer.empty())
          result = describe_wait(poster, each) + of_peer;
      });
    return result;
  }

  // The state of a rank for which another one waits: it has ended, or it waits, too.
  std::string describe_peer(int rank) const {
    const std::string name = "rank " + std::to_string(rank);
    if (ranks_[rank].round >= schedules_[rank].rounds()) return name + " has ended";
    std::string result;
    for_each_waiting([&](int poster, const Posted& each) {
      if (result.empty() && poster == rank)
        result = name + " also waits, in round " + std::to_string(ranks_[rank].round) + ", to " +
                 (each.is_send ? "send to rank " : "receive from rank ") +
                 std::to_string(each.message->peer);
    });
    return result;
  }

  // Whether a rank would receive a waiting message in a round after the open one.
  bool takes(int rank, const Message& message, int from) const {
    for (int round = ranks_[rank].round + 1; round < schedules_[rank].rounds(); ++round)
      for (const Message& each : schedules_[rank].recvs(round))
        if (each.peer == from && each.channel == message.channel) return true;
    return false;
  }

  std::span<const Schedule> schedules_;
  WalkVisitor& visitor_;
  std::vector<Rank> ranks_;
  std::vector<int> ready_;
  std::vector<Waiting> waiting_;  // by receiver
  std::string error_;
};

}  // namespace

std::string walk(std::span<const Schedule> schedules, WalkVisitor& visitor) {
  for (std::size_t rank = 1; rank < schedules.size(); ++rank)
    if (schedules[rank].channels() != schedules[0].channels())
      return "rank " + std::to_string(rank) + " has " + std::to_string(schedules[rank].channels()) +
             " channels, rank 0 has " + std::to_string(schedules[0].channels());
  return Walk(schedules, visitor).run();
}

}  // namespace toccata
