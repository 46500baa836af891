#include "choices/sketch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "writing/registry.h"

namespace toccata {

namespace {

constexpr int many_ranks = 1024;  // more: a smaller sample

// A rank of a node, and the number of ranks that it represents: itself and the following ones,
// towards the middle.
struct Sample {
  std::size_t local;
  float stands_for;
};

// On a node with that many ranks, samples ranks near both ends. If all ranks send over distance d,
// those within d of an end send out of the node, or receive from outside:
//
//   16 ranks   0 1 2 . 4 . . . | . . . 11 . 13 14 15     represent 1 1 2 4 and 4 2 1 1
std::vector<Sample> sample(std::size_t ranks, bool few) {
  if (few && ranks > 2) return {{0, 1}, {ranks / 2, static_cast<float>(ranks - 2)}, {ranks - 1, 1}};
  std::vector<Sample> result;
  for (const bool from_end : {false, true}) {
    const std::size_t half = (ranks + (from_end ? 0 : 1)) / 2;
    for (std::size_t place = 0, next = 1; place < half; place = next, next *= 2)
      result.push_back(
          {from_end ? ranks - 1 - place : place, static_cast<float>(std::min(next, half) - place)});
  }
  return result;
}

// The ranks whose schedules are read, each with the number of ranks of its node that it represents.
// They are on the first, the root's, the last and the largest node, whose ranks may behave
// differently. They also include the ranks at which patterns begin, end or have most work. In
// neighbourhood collectives, all ranks of a node, because any of them may relay.
std::map<int, float> asked_ranks(const Shape& shape, const Regions* nodes, bool among_neighbors) {
  const bool few = shape.p > many_ranks;
  std::map<int, float> ranks;
  std::set<int> sampled;
  if (nodes != nullptr) {
    const int root = nodes->of(shape.root), last = nodes->number() - 1;
    int largest = nodes->size(last) > nodes->size(root) ? last : root;
    for (int node = 0; node < last; ++node)
      if (nodes->size(node) > nodes->size(largest)) largest = node;
    sampled = few ? std::set{root} : std::set{root, last, largest};
  }
  for (const int node : sampled)
    for (const Sample& each : sample(nodes->members(node).size(), few))
      ranks[nodes->members(node)[each.local]] = each.stands_for;
  const auto ask = [&](int rank) {
    const bool is_counted = nodes != nullptr && sampled.contains(nodes->of(rank));
    ranks.try_emplace(rank, is_counted ? 0 : 1);
  };
  for (const int each : {0, shape.p / 3}) ask((shape.root + each) % shape.p);
  if (!few || nodes == nullptr)
    for (const int each : {1, shape.p - 1, shape.p / 2, shape.p / 2 + 1})
      ask((shape.root + each) % shape.p);
  if (among_neighbors && nodes != nullptr && !few)
    for (const int rank : nodes->members(nodes->of(shape.root))) ranks[rank] = 1;
  return ranks;
}

}  // namespace

Sketcher::Sketcher(const Collective& collective, const Shape& known, const Model& model)
    : placement_(known.placement.get()),
      machine_(placement_ == nullptr ? nullptr : &placement_->machine()),
      prices_publishing_(model.publishing.has_value()) {
  const int node = machine_ == nullptr ? -1 : machine_->find("node");
  if (node >= 0) nodes_ = &placement_->regions(node);
  if (machine_ != nullptr && machine_->network()) links_.emplace(*machine_->network());
  // Nodes first, limited or not; then the levels outside them.
  for (int level = node; level >= 0; --level) {
    if (level < node && limit(model, level) == 0) continue;
    limited_.push_back(level);
    regions_.push_back(&placement_->regions(level));
  }
  for (int level = 0; machine_ != nullptr && level < machine_->levels(); ++level) {
    const auto found = std::ranges::find(model.levels, machine_->name(level), &Model::Level::name);
    level_of_.push_back(found == model.levels.end()
                            ? (level_of_.empty() ? 0 : level_of_.back())
                            : static_cast<int>(found - model.levels.begin()));
  }
  asked_ = asked_ranks(known, nodes_, collective.among_neighbors);
}

Sketch Sketcher::sketch(const Choice& choice, const Shape& shape) const {
  Sketch result{.choice = choice, .parts = shape.parts};
  std::vector<Flows> flows;  // by round
  for (const auto& [rank, stands_for] : asked_) {
    const Schedule schedule = choice.schedule(shape, rank);
    result.scratch = std::max(result.scratch, static_cast<float>(blocks(schedule.scratch())));
    if (static_cast<int>(result.rounds.size()) < schedule.rounds())
      result.rounds.resize(schedule.rounds());
    flows.resize(result.rounds.size());
    for (int number = 0; number < schedule.rounds(); ++number) {
      Sketch::Part part = part_of(rank, stands_for, schedule, number, flows[number]);
      if (!part.out.empty())
        result.crossing += stands_for * static_cast<float>(part.out.front().messages);
      std::vector<Sketch::Part>& parts = result.rounds[number].parts;
      if (!part.empty() && std::ranges::find(parts, part) == parts.end())
        parts.push_back(std::move(part));
    }
  }
  for (std::size_t number = 0; number < flows.size(); ++number)
    extend(flows[number], result.rounds[number]);
  std::vector<Sketch::Round> rounds;
  for (Sketch::Round& each : result.rounds)
    if (!rounds.empty() && rounds.back().like(each))
      ++rounds.back().times;
    else
      rounds.push_back(std::move(each));
  result.rounds = std::move(rounds);
  return result;
}

Rates Sketcher::rates(const Model& model) const {
  Rates result{model, {}};
  for (const int level : limited_) result.limits.push_back(limit(model, level));
  return result;
}

// Seconds per byte through an object of a level of the machine; 0 if it is unlimited.
double Sketcher::limit(const Model& model, int level) const {
  const auto found = std::ranges::find(model.levels, machine_->name(level), &Model::Level::name);
  return found == model.levels.end() ? 0 : 1 / found->injection;
}

Sketch::Part Sketcher::part_of(int rank, float stands_for, const Schedule& schedule, int round,
                               Flows& flows) const {
  Sketch::Part part;
  const Message* published = nullptr;  // the last one
  const auto add_in_memory = [&](const Message& message, bool is_send) {
    const Message* const before = is_send ? std::exchange(published, &message) : nullptr;
    if (before != nullptr && schedule.have_same_blocks(*before, message)) return;
    float blocks = 0;
    for (const BlockRange& range : schedule.ranges(message))
      blocks += static_cast<float>(range.blocks());
    (is_send ? part.written : part.read) += blocks;
    part.readings += is_send ? 0 : 1;
  };
  const auto add = [&](std::span<const Message> messages, std::vector<Sketch::Load>& loads,
                       Crossing Flow::*way) {
    std::vector<float> outside(limited_.size());
    for (const Message& each : messages) {
      if (is_in_memory(rank, each)) {
        add_in_memory(each, &loads == &part.out);
        continue;
      }
      const int at = level(rank, each.peer);
      if (static_cast<int>(loads.size()) <= at) loads.resize(at + 1);
      const auto ranges = schedule.ranges(each);
      float blocks = 0;
      for (const BlockRange& range : ranges) blocks += static_cast<float>(range.blocks());
      loads[at].messages += static_cast<std::int32_t>(pieces(schedule, each));
      loads[at].blocks += blocks;
      if (each.travel != Travel::per_block && (ranges.size() != 1 || !ranges[0].consecutive()))
        loads[at].scattered += blocks;
      for (std::size_t limit = 0; limit < limited_.size(); ++limit)
        if (regions_[limit]->of(rank) != regions_[limit]->of(each.peer)) outside[limit] += blocks;
    }
    for (std::size_t limit = 0; limit < limited_.size(); ++limit) {
      if (outside[limit] == 0) continue;
      std::vector<Flow>& of_node = flows[nodes_->of(rank)];
      of_node.resize(limited_.size());
      Crossing& crossing = of_node[limit].*way;
      crossing.ranks += 1;
      crossing.blocks += outside[limit];
      crossing.all_ranks += stands_for;
      crossing.all_blocks += stands_for * outside[limit];
    }
  };
  add(schedule.sends(round), part.out, &Flow::leaving);
  add(schedule.recvs(round), part.in, &Flow::entering);
  part.busiest = busiest_link(rank, schedule, schedule.sends(round));
  for (const Step& each : schedule.steps(round))
    for (const BlockRange& range : schedule.from(each))
      (each.reduces ? part.reduced : part.copied) += static_cast<float>(range.blocks());
  return part;
}

// Extrapolates from the sampled ranks to all. If several ranks of a node send out of it, they
// represent other ranks of it, but at least themselves. The node represents every node of the
// enclosing object.
void Sketcher::extend(const Flows& flows, Sketch::Round& round) const {
  round.through.resize(limited_.size());
  float leaving = 1;  // ranks of a node
  for (const auto& [node, of_node] : flows) {
    const auto in_node = static_cast<float>(nodes_->size(node));
    const int member = nodes_->members(node)[0];
    for (std::size_t limit = 0; limit < limited_.size(); ++limit) {
      const Regions& regions = *regions_[limit];
      const float nodes = static_cast<float>(regions.size(regions.of(member))) / in_node;
      for (const Crossing& each : {of_node[limit].leaving, of_node[limit].entering}) {
        auto ranks = static_cast<float>(each.ranks);
        float blocks = each.blocks;
        if (each.ranks > 1) {
          ranks = std::max(ranks, each.all_ranks);
          blocks = std::max(blocks, each.all_blocks);
        }
        round.through[limit] = std::max(round.through[limit], blocks * nodes);
        if (limit == 0) leaving = std::max(leaving, ranks);
      }
    }
  }
  for (Sketch::Part& each : round.parts) each.busiest *= leaving;
}

// Blocks on the busiest link of a mesh, if all ranks send equally far. Each link is then on the
// path of several messages: as many as one message uses links in that direction. If both
// directions round a ring are equally long, each carries half of the blocks.
float Sketcher::busiest_link(int rank, const Schedule& schedule,
                             std::span<const Message> sends) const {
  if (!links_) return 0;
  std::vector<float> blocks(2 * links_->mesh().dimensions());  // by direction
  std::vector<int> way;
  for (const Message& each : sends) {
    float own = 0;
    for (const BlockRange& range : schedule.ranges(each)) own += static_cast<float>(range.blocks());
    for (const bool upwards : {true, false}) {
      way.clear();
      links_->route(cell(rank), cell(each.peer), upwards, way);
      for (const int link : way) blocks[link % blocks.size()] += own / 2;
    }
  }
  return *std::ranges::max_element(blocks);
}

int Sketcher::cell(int rank) const {
  const Place& place = placement_->place(rank);
  return machine_->ancestor(place.level, place.object, 0);
}

// Whether a message is published in memory that both ranks share, and the model has its costs.
bool Sketcher::is_in_memory(int rank, const Message& message) const {
  return message.travel == Travel::published && prices_publishing_ && nodes_ != nullptr &&
         nodes_->of(rank) == nodes_->of(message.peer);
}

// The level of the model at which two ranks communicate.
int Sketcher::level(int a, int b) const {
  const int common = placement_ == nullptr ? -1 : placement_->common_level(a, b);
  return common < 0 ? 0 : level_of_[common];
}

std::int64_t Sketch::messages() const {
  std::int64_t all = 0;
  for (const Round& round : rounds) {
    std::int32_t most = 0;
    for (const Part& part : round.parts) {
      std::int32_t sent = 0;
      for (const Load& load : part.out) sent += load.messages;
      most = std::max(most, sent);
    }
    all += std::int64_t{most} * round.times;
  }
  return all;
}

// A round without work for any sampled rank belongs to other ranks, as in a chain of ranks; it
// counts as the mean of the sampled rounds.
double Sketch::seconds(const Rates& rates, std::int64_t bytes) const {
  const auto& [model, limits] = rates;
  const double block = static_cast<double>(bytes) / this->parts;
  double all = 0;
  int seen = 0, unseen = 0;
  for (const Round& round : rounds) {
    if (round.parts.empty() && seen == 0) continue;  // a round for copies only, without copies
    (round.parts.empty() ? unseen : seen) += round.times;
    double longest = 0, slowest = 0, sum = 0;  // work; longest latency, and the sum
    int ways = 0;
    for (const Part& part : round.parts) {
      // The first message is packed, sent, received and unpacked; meanwhile the other messages keep
      // the processor or the link busy.
      double first = 0, processor = 0, wire = 0;
      for (const auto* loads : {&part.out, &part.in}) {
        double queue = 0, latency = 0;
        for (std::size_t at = 0; at < loads->size(); ++at) {
          const Load& load = (*loads)[at];
          if (load.messages == 0) continue;
          const Model::Level& level = model.levels[at];
          const double each = load.blocks * block / load.messages;
          const Protocol& way =
              each < static_cast<double>(level.threshold) ? level.eager : level.rendezvous;
          const double packing = load.scattered * block * model.pack / load.messages;
          const int others = load.messages - 1;
          first = std::max(first, packing);
          processor += others * (way.o + packing);
          queue += others * way.g + each * way.beta * (1 + others * way.tau);
          if (at == 0 && loads == &part.out) wire = std::max(wire, part.busiest * block * way.beta);
          latency = std::max(latency, way.alpha + 2 * way.o);
        }
        wire = std::max(wire, queue);
        slowest = std::max(slowest, latency);
        sum += latency;
        ways += latency > 0 ? 1 : 0;
      }
      double takes = 2 * first + std::max(processor, wire);
      if (model.publishing) {
        takes +=
            block * (part.written * model.publishing->write + part.read * model.publishing->read);
        if (part.readings > 0) {
          slowest = std::max(slowest, model.publishing->latency);
          sum += model.publishing->latency;
          ++ways;
        }
      }
      takes += block * (part.copied * model.copy + part.reduced * model.gamma);
      longest = std::max(longest, takes);
    }
    for (std::size_t limit = 0; limit < limits.size(); ++limit)
      longest = std::max(longest, round.through[limit] * block * limits[limit]);
    // In a ring with mostly near ranks, not every round waits for the far ones.
    const double latency = ways == 0 ? 0 : (slowest + sum / ways) / 2;
    all += round.times * (longest + latency);
  }
  const double kept = static_cast<double>(model.kept), touched = scratch * block;
  return model.start + (touched > kept ? touched * model.fresh : 0) +
         (seen == 0 ? 0 : all * (seen + unseen) / seen);
}

std::size_t Sketch::memory() const {
  std::size_t bytes = sizeof *this;
  for (const Round& round : rounds) {
    bytes += sizeof round + round.through.size() * sizeof(float);
    for (const Part& part : round.parts)
      bytes += sizeof part + (part.out.size() + part.in.size()) * sizeof(Load);
  }
  return bytes;
}

}  // namespace toccata
