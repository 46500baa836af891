#include "costs/cost.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "proofs/sizing.h"
#include "proofs/walk.h"
#include "topology/placement.h"

namespace toccata {

namespace {

// A point in time, with its causes.
struct Moment {
  double time = 0;
  std::vector<double> terms = {};  // of the critical path to here; empty unless requested
};

// The later of two moments; the first one if they differ only by rounding.
const Moment& later(const Moment& one, const Moment& other) {
  return one.time >= other.time * (1 - 1e-13) ? one : other;
}

// The bytes of a rank's messages.
class ByteCounter {
 public:
  ByteCounter(const Collective& collective, const Shape& shape, std::span<const Schedule> schedules,
              std::span<const std::int64_t> bytes)
      : bytes_(bytes) {
    if (bytes.empty())
      alike_ = 1;
    else if (std::ranges::adjacent_find(bytes, std::not_equal_to{}) == bytes.end())
      alike_ = bytes.front();
    if (alike_ < 0)
      for (int rank = 0; rank < shape.p; ++rank)
        sizings_.emplace_back(collective, shape, rank, schedules[rank]);
  }

  double operator()(int rank, std::span<const BlockRange> ranges) const {
    std::int64_t total = 0;
    for (const BlockRange& range : ranges)
      if (alike_ >= 0)
        total += range.blocks() * alike_;
      else
        for_each_block(range,
                       [&](int block) { total += bytes_[sizings_[rank](range.buffer, block)]; });
    return static_cast<double>(total);
  }

 private:
  std::span<const std::int64_t> bytes_;
  std::int64_t alike_ = -1;  // bytes of every datum, if all are equal
  std::vector<Sizing> sizings_;
};

// The level of the model at which two ranks communicate, and the machine's objects that share
// links.
class Whereabouts {
 public:
  Whereabouts(const Model& model, const Placement* placement) : placement_(placement) {
    if (placement == nullptr) return;
    const Machine& machine = placement->machine();
    if (const int node = machine.find("node"); node >= 0 && model.publishing)
      memories_ = &placement->regions(node);
    int level = 0;
    for (int of_machine = 0; of_machine < machine.levels(); ++of_machine) {
      const auto found = std::ranges::find(model.levels, machine.name(of_machine),
                                           [](const Model::Level& each) { return each.name; });
      if (found != model.levels.end()) level = static_cast<int>(found - model.levels.begin());
      levels_.push_back(level);
    }
    for (int at = 0; at < static_cast<int>(model.levels.size()); ++at)
      if (const int of_machine = machine.find(model.levels[at].name);
          of_machine >= 0 && model.levels[at].injection < std::numeric_limits<double>::infinity())
        limited_.push_back({at, &placement->regions(of_machine), 1 / model.levels[at].injection});
  }

  int level(int a, int b) const {
    if (placement_ == nullptr) return 0;
    const int common = placement_->common_level(a, b);
    return common < 0 ? 0 : levels_[common];
  }

  // Whether a message is published in memory that both ranks share, and the model has its costs.
  bool is_in_memory(int rank, const Message& message) const {
    return message.travel == Travel::published && memories_ != nullptr &&
           memories_->of(rank) == memories_->of(message.peer);
  }

  // The levels whose objects have an injection limit.
  struct Limit {
    int level;
    const Regions* regions;
    double seconds_a_byte;
  };
  const std::vector<Limit>& limited() const { return limited_; }

 private:
  const Placement* placement_;
  const Regions* memories_ = nullptr;
  std::vector<int> levels_;  // of the model, by level of the machine
  std::vector<Limit> limited_;
};

// The number of ranks that share the limit of an object in each round.
class Sharing {
 public:
  Sharing(const Regions& regions, std::span<const Schedule> schedules, const ByteCounter& bytes)
      : regions_(&regions), out_(regions.number()), in_(regions.number()) {
    for (int rank = 0; rank < regions.ranks(); ++rank)
      for (int round = 0; round < schedules[rank].rounds(); ++round) {
        const Schedule& schedule = schedules[rank];
        add(rank, schedule, schedule.sends(round), bytes, round, out_);
        add(rank, schedule, schedule.recvs(round), bytes, round, in_);
      }
  }

  // The number of ranks that share the limit of the sender's object in the sender's round, and of
  // the receiver's object in the receiver's round. It is the bytes of all ranks in that round,
  // divided by the maximum of one rank. If some ranks send less than others, it is not an integer.
  double sending(int sender, int round) const { return share(out_[regions_->of(sender)], round); }
  double receiving(int receiver, int round) const {
    return share(in_[regions_->of(receiver)], round);
  }
  bool crosses(int sender, int receiver) const {
    return regions_->of(sender) != regions_->of(receiver);
  }

 private:
  struct Load {
    double all = 0, most = 0;
  };
  using Loads = std::vector<Load>;  // by round

  void add(int rank, const Schedule& schedule, std::span<const Message> messages,
           const ByteCounter& bytes, int round, std::vector<Loads>& of_objects) const {
    double sum = 0;
    for (const Message& each : messages)
      if (crosses(rank, each.peer)) sum += bytes(rank, schedule.ranges(each));
    if (sum == 0) return;
    Loads& loads = of_objects[regions_->of(rank)];
    if (static_cast<int>(loads.size()) <= round) loads.resize(round + 1);
    loads[round].all += sum;
    loads[round].most = std::max(loads[round].most, sum);
  }

  static double share(const Loads& loads, int round) {
    if (round >= static_cast<int>(loads.size()) || loads[round].most == 0) return 1;
    return loads[round].all / loads[round].most;
  }

  const Regions* regions_;
  std::vector<Loads> out_, in_;  // by object
};

class Clocks : public WalkVisitor {
 public:
  Clocks(const Collective& collective, const Shape& shape, std::span<const Schedule> schedules,
         std::span<const std::int64_t> bytes, const Model& model, const CostOptions& options)
      : schedules_(schedules),
        bytes_(collective, shape, schedules, bytes),
        model_(model),
        options_(options),
        terms_(model),
        coefficients_(coefficients(model)),
        where_(model, shape.placement.get()),
        ranks_(shape.p) {
    for (const Whereabouts::Limit& limit : where_.limited())
      sharing_.emplace_back(*limit.regions, schedules, bytes_);
    for (int rank = 0; rank < shape.p; ++rank) {
      Moment& now = ranks_[rank].now;
      if (options.terms) now.terms.resize(terms_.number());
      if (!options.arrivals.empty()) now.time = options.arrivals[rank];
      ranks_[rank].link = ranks_[rank].link_in = now;
      ranks_[rank].link_in.time = -std::numeric_limits<double>::infinity();
      add(now, terms_.start(), 1);
      if (const double scratch = bytes_(rank, schedules[rank].scratch());
          scratch > static_cast<double>(model.kept))
        add(now, terms_.fresh(), scratch);
    }
  }

  void opened(int rank, int round) override {
    Rank& self = ranks_[rank];
    const Schedule& schedule = schedules_[rank];
    self.round = round;
    self.opened = self.sent = self.now;
    self.departures.clear();
    self.arrivals.clear();
    Moment& processor = self.now;
    const Message* published = nullptr;  // the last one
    for (const Message& message : schedule.sends(round)) {
      if (where_.is_in_memory(rank, message)) {
        if (published == nullptr || !schedule.have_same_blocks(*published, message))
          add(processor, terms_.write(), bytes_(rank, schedule.ranges(message)));
        published = &message;
        self.departures.push_back({{}, processor, processor});
        continue;
      }
      const Wire whole = wire_of(rank, round, message);
      const Wire wire = shared(whole, rank, message.peer,
                               [&](const Sharing& each) { return each.sending(rank, round); });
      if (scattered(schedule, message)) add(processor, terms_.pack(), wire.bytes);
      Moment first = processor;
      add(first, wire.o, 1);
      add(processor, wire.o, wire.pieces);
      first = later(first, self.link);
      self.link = link_free(first, processor, wire);
      self.departures.push_back({whole, std::move(first), processor});
    }
  }

  void moved(int sender, const Message& send, int receiver, const Message& receive) override {
    Rank& from = ranks_[sender];
    Rank& to = ranks_[receiver];
    const Departure& departure =
        from.departures[&send - schedules_[sender].sends(from.round).data()];
    if (where_.is_in_memory(sender, send)) {
      Moment seen = departure.posted;
      add(seen, terms_.publishing(), 1);
      const double bytes = bytes_(receiver, schedules_[receiver].ranges(receive));
      to.arrivals.push_back({{.bytes = bytes}, std::move(seen), sender, false, true});
      return;
    }
    const auto slowed = [&](auto&& ranks) {
      return shared(departure.wire, sender, receiver, ranks);
    };
    // A delay at the sender's object leaves the receiver's link free for other messages.
    const Wire into =
        slowed([&](const Sharing& each) { return each.receiving(receiver, to.round); });
    Wire wire = slowed([&](const Sharing& each) {
      return std::max(each.sending(sender, from.round), each.receiving(receiver, to.round));
    });
    wire.share *= wire.conflicts;
    Moment end = wire.rendezvous ? last_byte(later(departure.first, to.opened),
                                             later(departure.posted, to.opened), wire)
                                 : last_byte(departure.first, departure.posted, wire);
    if (!wire.rendezvous) from.sent = later(from.sent, end);
    add(end, wire.alpha, 1);
    if (wire.rendezvous) from.sent = later(from.sent, end);
    const bool unpacks = scattered(schedules_[receiver], receive);
    to.arrivals.push_back({into, std::move(end), sender, unpacks, false});
  }

  void closed(int rank, int /*round*/) override {
    Rank& self = ranks_[rank];
    const auto first_byte = [this](const Arrival& arrival) {
      if (arrival.in_memory) return std::pair(arrival.end.time, arrival.sender);
      Moment first{arrival.end.time};
      pass(first, arrival.wire, -1);
      return std::pair(first.time, arrival.sender);
    };
    std::ranges::sort(self.arrivals, {}, first_byte);
    Moment& processor = self.now;
    for (Arrival& each : self.arrivals) {
      const Wire& wire = each.wire;
      if (each.in_memory) {
        processor = later(each.end, processor);
        add(processor, terms_.read(), wire.bytes);
        continue;
      }
      add(self.link_in, wire.g, 1);
      pass(self.link_in, wire);
      each.end = later(each.end, self.link_in);
      self.link_in = each.end;
      add_bytes(self.link_in, wire, (wire.protocol->tau - 1) * wire.bytes / wire.pieces);
      add(each.end, wire.o, 1);
      add(processor, wire.o, wire.pieces);
      processor = later(each.end, processor);
      if (each.unpacks) add(processor, terms_.pack(), wire.bytes);
    }
    processor = later(processor, self.sent);
  }

  void stepped(int rank, int /*round*/, const Step& step) override {
    add(ranks_[rank].now, step.reduces ? terms_.gamma() : terms_.copy(),
        bytes_(rank, schedules_[rank].from(step)));
  }

  // The time at which the last rank finishes.
  const Moment& end() const {
    return std::ranges::max_element(ranks_, {}, [](const Rank& each) { return each.now.time; })
        ->now;
  }

 private:
  // The properties of a message that determine its time in the network.
  struct Wire {
    const Protocol* protocol = nullptr;
    bool rendezvous = false;
    double bytes = 0;
    double pieces = 1;            // MPI messages
    int alpha = 0, o = 0, g = 0;  // terms
    int per_byte = 0;             // the term for its bytes: beta, or an injection limit
    double share = 1;             // how often it counts per byte
    double conflicts = 1;         // messages on the busiest link of its path, including itself
  };
  struct Departure {
    Wire wire;
    Moment first;   // when its first byte may leave
    Moment posted;  // when the processor has posted all of it
  };
  struct Arrival {
    Wire wire;
    Moment end;  // when its last byte has arrived
    int sender;
    bool unpacks;
    bool in_memory;  // published: read there, not received
  };
  struct Rank {
    int round = 0;
    Moment now;      // when its processor is free
    Moment opened;   // when it reached the open round
    Moment sent;     // when all its sends of the open round have left
    Moment link;     // when the next message may leave
    Moment link_in;  // when the last message had arrived
    std::vector<Departure> departures;
    std::vector<Arrival> arrivals;
  };

  void add(Moment& moment, int term, double amount) const {
    moment.time += amount * coefficients_[term];
    if (!moment.terms.empty()) moment.terms[term] += amount;
  }

  void add_bytes(Moment& moment, const Wire& wire, double bytes) const {
    add(moment, wire.per_byte, bytes * wire.share);
  }

  // The time from a message's first byte to its last.
  void pass(Moment& moment, const Wire& wire, int times = 1) const {
    const double others = wire.pieces - 1;
    add(moment, wire.g, times * others);
    add_bytes(moment, wire, times * (1 + others * wire.protocol->tau) * wire.bytes / wire.pieces);
  }

  // When the last byte has passed, if the first byte may leave at `first`. In a message of several
  // pieces, the last piece leaves only after the processor has posted it.
  Moment last_byte(const Moment& first, const Moment& posted, const Wire& wire) const {
    Moment all = first;
    pass(all, wire);
    if (wire.pieces == 1) return all;
    Moment last = posted;
    add_bytes(last, wire, wire.bytes / wire.pieces);
    return later(all, last);
  }

  // When the link is free for the sender's next message.
  Moment link_free(const Moment& first, const Moment& posted, const Wire& wire) const {
    Moment all = first;
    add(all, wire.g, wire.pieces);
    add_bytes(all, wire, wire.protocol->tau * wire.bytes);
    if (wire.pieces == 1) return all;
    Moment last = posted;
    add(last, wire.g, 1);
    add_bytes(last, wire, wire.protocol->tau * wire.bytes / wire.pieces);
    return later(all, last);
  }

  Wire wire_of(int rank, int round, const Message& message) const {
    const Schedule& schedule = schedules_[rank];
    const int level = where_.level(rank, message.peer);
    const Model::Level& costs = model_.levels[level];
    const double bytes = bytes_(rank, schedule.ranges(message));
    const auto number = static_cast<double>(pieces(schedule, message));
    const bool rendezvous = bytes >= static_cast<double>(costs.threshold) * number;
    Wire wire{.protocol = rendezvous ? &costs.rendezvous : &costs.eager,
              .rendezvous = rendezvous,
              .bytes = bytes,
              .pieces = number,
              .alpha = terms_.alpha(level, rendezvous),
              .o = terms_.o(level, rendezvous),
              .g = terms_.g(level, rendezvous),
              .per_byte = terms_.beta(level, rendezvous),
              .share = 1};
    if (options_.conflicts)
      wire.conflicts = options_.conflicts(
          rank, round, static_cast<int>(&message - schedule.sends(round).data()));
    return wire;
  }

  // The same message, slowed down if ranks share the limits of objects (Sharing).
  template <typename Ranks>
  Wire shared(Wire wire, int sender, int receiver, Ranks&& ranks) const {
    for (std::size_t i = 0; i < sharing_.size(); ++i)
      if (sharing_[i].crosses(sender, receiver))
        slow_down(wire, where_.limited()[i], ranks(sharing_[i]));
    return wire;
  }

  // max(beta, ranks / injection) [gropp2016, equation 2]
  void slow_down(Wire& wire, const Whereabouts::Limit& limit, double ranks) const {
    if (ranks * limit.seconds_a_byte <= wire.share * coefficients_[wire.per_byte]) return;
    wire.per_byte = terms_.injection(limit.level);
    wire.share = ranks;
  }

  // Whether the blocks of a message are in several pieces of memory, or must be packed.
  static bool scattered(const Schedule& schedule, const Message& message) {
    switch (message.travel) {
      case Travel::packed:
        return true;
      case Travel::per_block:
        return false;
      default:
        return message.range_count > 1 ||
               (message.range_count == 1 && !schedule.ranges(message)[0].consecutive());
    }
  }

  std::span<const Schedule> schedules_;
  ByteCounter bytes_;
  const Model& model_;
  const CostOptions& options_;
  Terms terms_;
  std::vector<double> coefficients_;
  Whereabouts where_;
  std::vector<Sharing> sharing_;  // for each of the limited levels
  std::vector<Rank> ranks_;
};

}  // namespace

Prediction predict(const Collective& collective, const Shape& shape,
                   std::span<const Schedule> schedules, std::span<const std::int64_t> bytes,
                   const Model& model, const CostOptions& options) {
  Clocks clocks(collective, shape, schedules, bytes, model, options);
  if (std::string stuck = walk(schedules, clocks); !stuck.empty())
    return {.error = std::move(stuck)};
  return {.seconds = clocks.end().time, .terms = clocks.end().terms};
}

Prediction predict(const Algorithm& algorithm, const Shape& shape, std::int64_t unit_bytes,
                   const Model& model, const CostOptions& options) {
  std::vector<Schedule> schedules;
  schedules.reserve(shape.p);
  for (int rank = 0; rank < shape.p; ++rank) schedules.push_back(algorithm.schedule(shape, rank));
  return predict(algorithm.collective, shape, schedules,
                 datum_bytes(algorithm.collective, shape, unit_bytes), model, options);
}

std::vector<std::int64_t> datum_bytes(const Collective& collective, const Shape& shape,
                                      std::int64_t unit_bytes) {
  std::vector<std::int64_t> bytes(collective.data(shape));
  for (std::size_t datum = 0; datum < bytes.size(); ++datum) {
    const std::int64_t part = static_cast<std::int64_t>(datum) % shape.parts;
    bytes[datum] = unit_bytes / shape.parts + (part < unit_bytes % shape.parts ? 1 : 0);
  }
  return bytes;
}

}  // namespace toccata
