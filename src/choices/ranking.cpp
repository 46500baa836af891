#include "choices/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "choices/proved.h"
#include "networks/links.h"
#include "topology/placement.h"
#include "writing/forests.h"
#include "writing/registry.h"

namespace toccata {

const Model& usual_model() {
  static const Model model = [] {
    Model usual;
    usual.name = "usual";
    usual.origin = "assumed parameters of a typical cluster";
    usual.levels = {
        {.name = "network",
         .threshold = 16384,
         .eager = {.alpha = 1.6e-6, .beta = 1e-10, .o = 2e-7, .g = 1e-7},
         .rendezvous = {.alpha = 4e-6, .beta = 1e-10, .o = 2e-7, .g = 1e-7}},
        {.name = "node",
         .threshold = 4096,
         .eager = {.alpha = 3e-7, .beta = 2e-10, .o = 5e-8, .g = 5e-8},
         .rendezvous = {.alpha = 1e-6, .beta = 1e-10, .o = 5e-8, .g = 5e-8},
         .injection = 1.2e10},
    };
    usual.publishing = {.latency = 1.5e-7, .write = 1e-10, .read = 1e-10};
    usual.gamma = 1e-10;
    usual.copy = 5e-11;
    usual.pack = 1e-10;
    return usual;
  }();
  return model;
}

namespace {

// The usual model with Ethernet by TCP, from 100 Gb/s to 1 Gb/s: a message of 8 bytes takes 18 to
// 35 us. The levels are the same, and the same of them are limited, so that sketches hold for all.
const std::vector<Model>& ethernets() {
  struct Speed {
    const char* name;
    double alpha, o, beta, injection;  // seconds, seconds, seconds per byte, bytes per second
  };
  static const std::vector<Model> all = [] {
    std::vector<Model> found;
    for (const Speed& each : {Speed{"Ethernet, 100 Gb/s", 1.2e-5, 3e-6, 3e-10, 1e10},
                              Speed{"Ethernet, 10 Gb/s", 2e-5, 4e-6, 1e-9, 1.15e9},
                              Speed{"Ethernet, 1 Gb/s", 2.5e-5, 5e-6, 8.5e-9, 1.18e8}}) {
      Model model = usual_model();
      model.name = each.name;
      model.origin = "the usual model with Ethernet";
      model.levels[0].threshold = 65536;
      model.levels[0].eager = {.alpha = each.alpha, .beta = each.beta, .o = each.o};
      model.levels[0].rendezvous = {.alpha = 2.5 * each.alpha, .beta = each.beta, .o = each.o};
      model.levels[1].injection = each.injection;
      found.push_back(model);
    }
    return found;
  }();
  return all;
}

}  // namespace

// The work of an algorithm in blocks, by rounds; of consecutive equal rounds, only the first.
struct Ranking::Sketch {
  struct Load {
    std::int32_t messages = 0;
    float blocks = 0, scattered = 0;  // scattered: those of several pieces
    bool operator==(const Load&) const = default;
  };
  // One rank's part in a round.
  struct Part {
    std::vector<Load> out = {}, in = {};  // by level of the model
    float copied = 0, reduced = 0;
    float written = 0, read = 0;  // published blocks
    int readings = 0;
    float busiest = 0;  // blocks on the busiest mesh link, if all ranks send equally far
    bool operator==(const Part&) const = default;
    bool empty() const {
      return out.empty() && in.empty() && copied == 0 && reduced == 0 && written == 0 &&
             readings == 0;
    }
  };
  struct Round {
    std::vector<Part> parts = {};
    std::vector<float> through = {};  // by limit: blocks that leave one region, or enter it
    int times = 1;
    bool like(const Round& other) const { return through == other.through && parts == other.parts; }
  };
  Choice choice = {};
  int parts = 1;
  std::vector<Round> rounds = {};
  float scratch = 0;   // blocks, the maximum of a rank
  float crossing = 0;  // messages that leave the sampled nodes

  // The maximum that a rank sends.
  std::int64_t messages() const;
  // Seconds, for blocks of that many bytes.
  double seconds(const Model& model, std::span<const double> limits, double block) const;
};

namespace {

constexpr int many_ranks = 1024;         // more: a smaller sample
constexpr int most_with_settings = 512;  // more: only the default setting
constexpr int most_linear = 4096;        // ranks for algorithms whose rounds or messages grow as p
constexpr std::int64_t affordable = 20'000;  // messages of all ranks whose traffic is computed
constexpr double nearly_as_fast = 1.05;      // times the time of the fastest
constexpr double worth_it = 0.95;            // of the time of the default setting, not reordered

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

// Whether an algorithm's messages or rounds grow in proportion to the number of ranks.
bool is_linear(const Algorithm& algorithm) {
  const auto work = [&](int p) {
    Shape shape;
    shape.p = p;
    shape.parameters = Parameters(algorithm.parameters);
    if (!algorithm.why_impossible(shape).empty()) return 0.0;
    const Schedule schedule = algorithm.schedule(algorithm.complete(shape), 0);
    double messages = 0;
    for (int round = 0; round < schedule.rounds(); ++round)
      messages += static_cast<double>(schedule.sends(round).size() + schedule.recvs(round).size());
    return std::max(messages, static_cast<double>(schedule.rounds()));
  };
  return work(128) > 1.5 * work(64);
}

// The settings to rank, the default first. A chain of leaders, or of a node's ranks, is useful only
// with segments.
std::vector<Parameters> near_settings(const Algorithm& algorithm) {
  const Parameters standard(algorithm.parameters);
  std::vector<Parameters> settings{standard};
  const auto add = [&](Parameters setting, const Parameter& parameter, int value) {
    if (value == setting[parameter]) return;
    setting.set(parameter, value);
    settings.push_back(std::move(setting));
  };
  const auto pieces = std::ranges::find(algorithm.parameters, "segments", &Parameter::name);
  for (const Parameter& each : algorithm.parameters) {
    for (int word = 0; word < static_cast<int>(each.words.size()); ++word) {
      if (each.words[word] != "pipeline" || pieces == algorithm.parameters.end()) {
        add(standard, each, word);
        continue;
      }
      Parameters chain = standard;
      chain.set(each, word);
      for (const int number : {16, 64}) add(chain, *pieces, number);
    }
    if (each.is_choice()) continue;
    if (each.standard == 0 && each.name == "radix")  // without Bruck inside nodes
      for (const int value : {2, 4}) add(standard, each, value);
    if (each.standard < 2) continue;
    add(standard, each, std::max(each.least, each.standard / 4));
    for (const int times : {2, 4}) add(standard, each, std::min(each.most, each.standard * times));
  }
  return settings;
}

}  // namespace

// Computes sketches for one communicator.
class Ranking::Sketcher {
 public:
  // `model` states which levels are limited.
  Sketcher(const Collective& collective, const Shape& known, const Model& model)
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
      const auto found =
          std::ranges::find(model.levels, machine_->name(level), &Model::Level::name);
      level_of_.push_back(found == model.levels.end()
                              ? (level_of_.empty() ? 0 : level_of_.back())
                              : static_cast<int>(found - model.levels.begin()));
    }
    asked_ = asked_ranks(known, nodes_, collective.among_neighbors);
  }

  // The sketch of an algorithm in a possible and complete shape, for that choice.
  Sketch sketch(const Choice& choice, const Shape& shape) const {
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

  // That model with its limits.
  Rates rates(const Model& model) const {
    Rates result{model, {}};
    for (const int level : limited_) result.limits.push_back(limit(model, level));
    return result;
  }

 private:
  // Seconds per byte through an object of a level of the machine; 0 if it is unlimited.
  double limit(const Model& model, int level) const {
    const auto found = std::ranges::find(model.levels, machine_->name(level), &Model::Level::name);
    return found == model.levels.end() ? 0 : 1 / found->injection;
  }

  // The traffic of a node's sampled ranks out of a region, or into it; and the total, if all other
  // ranks are like them.
  struct Crossing {
    int ranks = 0;
    float blocks = 0;
    float all_ranks = 0, all_blocks = 0;
  };
  struct Flow {
    Crossing leaving = {}, entering = {};
  };
  using Flows = std::map<int, std::vector<Flow>>;  // by node and limit

  Sketch::Part part_of(int rank, float stands_for, const Schedule& schedule, int round,
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
  void extend(const Flows& flows, Sketch::Round& round) const {
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
  float busiest_link(int rank, const Schedule& schedule, std::span<const Message> sends) const {
    if (!links_) return 0;
    std::vector<float> blocks(2 * links_->mesh().dimensions());  // by direction
    std::vector<int> way;
    for (const Message& each : sends) {
      float own = 0;
      for (const BlockRange& range : schedule.ranges(each))
        own += static_cast<float>(range.blocks());
      for (const bool upwards : {true, false}) {
        way.clear();
        links_->route(cell(rank), cell(each.peer), upwards, way);
        for (const int link : way) blocks[link % blocks.size()] += own / 2;
      }
    }
    return *std::ranges::max_element(blocks);
  }
  int cell(int rank) const {
    const Place& place = placement_->place(rank);
    return machine_->ancestor(place.level, place.object, 0);
  }

  // Whether a message is published in memory that both ranks share, and the model has its costs.
  bool is_in_memory(int rank, const Message& message) const {
    return message.travel == Travel::published && prices_publishing_ && nodes_ != nullptr &&
           nodes_->of(rank) == nodes_->of(message.peer);
  }

  // The level of the model at which two ranks communicate.
  int level(int a, int b) const {
    const int common = placement_ == nullptr ? -1 : placement_->common_level(a, b);
    return common < 0 ? 0 : level_of_[common];
  }

  const Placement* placement_;
  const Machine* machine_;
  bool prices_publishing_;
  const Regions* nodes_ = nullptr;
  std::optional<Links> links_;           // if the machine is a mesh
  std::vector<int> limited_;             // levels of the machine
  std::vector<const Regions*> regions_;  // the objects of these levels
  std::vector<int> level_of_;            // of the model, by level of the machine
  std::map<int, float> asked_;
};

Ranking::Ranking(const Collective& collective, const Shape& known, const Model& model,
                 const ReorderWish& wish, Setting setting) {
  const Sketcher sketcher(collective, known, model);
  rates_ = sketcher.rates(model);
  add_networks(sketcher, model);
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!algorithm->serves(collective) || algorithm->publishes || !is_proved(*algorithm) ||
        (algorithm->by_grid && known.grid == nullptr))
      continue;
    if (known.p > most_linear && is_linear(*algorithm)) continue;
    // Over a chain, an allreduce loads every link twice in both directions.
    if (algorithm->by_trees && &collective == &allreduce && !has_packed_trees(known)) continue;
    const Parameters standard(algorithm->parameters);
    const bool near = setting != Setting::standard && known.p <= most_with_settings;
    const bool publishes = near && setting == Setting::near_or_published &&
                           algorithm->by_placement && model.publishing;
    for (const Parameters& each : near ? near_settings(*algorithm) : std::vector{standard}) {
      Shape shape = known;
      shape.parameters = each;
      if (!algorithm->why_impossible(shape).empty()) continue;
      shape = algorithm->complete(std::move(shape));
      const Choice choice{.algorithm = algorithm, .parameters = each};
      const Choice wished = with_wish(choice, collective, wish);
      const bool is_free = wish.how == Reorder::automatic;
      add(sketcher, is_free && !(each == standard) ? choice : wished, shape);
      if (!publishes) continue;
      Choice published = is_free ? choice : wished;
      published.travel = Travel::published;
      add(sketcher, published, shape);
    }
  }
}

void Ranking::add_networks(const Sketcher& sketcher, const Model& model) {
  if (!(model == usual_model())) return;
  for (const Model& each : ethernets()) networks_.push_back(sketcher.rates(each));
}

Ranking::Ranking(const Choice& choice, const Shape& known, const Model& model) {
  Choice plain = choice;
  plain.reorder = Reorder::off;
  const Sketcher sketcher(choice.algorithm->collective, known, model);
  rates_ = sketcher.rates(model);
  add(sketcher, choice, plain.in(known));
}

Ranking::Ranking(const Collective& collective, std::span<const Choice> choices, const Shape& known,
                 const Model& model, bool published) {
  const Sketcher sketcher(collective, known, model);
  rates_ = sketcher.rates(model);
  add_networks(sketcher, model);
  for (const Choice& each : choices) {
    if (!is_proved(*each.algorithm)) continue;
    try {
      const Shape shape = each.in(known);
      add(sketcher, each, shape);
      if (!published || !each.algorithm->by_placement || !model.publishing) continue;
      Choice through_memory = each;
      through_memory.travel = Travel::published;
      add(sketcher, through_memory, shape);
    } catch (const ChoiceError&) {
      continue;
    }
  }
}

// With `straight`, blocks are in as many pieces as there are ranks. With many ranks, an exchange is
// as good, and costs only one of many rounds. Traffic is computed only if that is fast.
void Ranking::add(const Sketcher& sketcher, const Choice& choice, const Shape& shape) {
  const Algorithm& algorithm = *choice.algorithm;
  Choice plain = choice;
  plain.reorder = Reorder::off;
  plain.pattern = nullptr;
  Sketch as_placed = sketcher.sketch(plain, shape);
  const std::int64_t messages = as_placed.messages() * shape.p;
  if (choice.reorder <= Reorder::automatic) sketches_.push_back(std::move(as_placed));
  if (choice.reorder == Reorder::off) return;

  const bool by_traffic =
      choice.pattern == nullptr && algorithm.pattern.empty() && !algorithm.by_placement;
  Mapping mapping = identity(shape.p);
  if (shape.placement != nullptr && shape.p > 2 && !(by_traffic && messages > affordable))
    mapping = mapping_for(algorithm, shape, choice.pattern);
  const bool all_stay = mapping == identity(shape.p);
  if (choice.reorder > Reorder::automatic) {
    const Shape there =
        all_stay ? shape : reordered(algorithm, shape, mapping, order_of(choice.reorder));
    sketches_.push_back(sketcher.sketch(choice, there));
    return;
  }
  if (all_stay) return;
  for (const Order order : orders_for(algorithm)) {
    if (order == Order::straight && shape.p > many_ranks) continue;
    const Shape there = reordered(algorithm, shape, mapping, order);
    if (!algorithm.why_impossible(there.reordering->played).empty()) continue;
    Choice moved = choice;
    moved.reorder = asking_for(order);
    sketches_.push_back(sketcher.sketch(moved, there));
  }
}

Ranking::~Ranking() = default;

std::int64_t Ranking::Sketch::messages() const {
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
double Ranking::Sketch::seconds(const Model& model, std::span<const double> limits,
                                double block) const {
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

double Ranking::seconds(const Sketch& sketch, const Rates& rates, std::int64_t bytes) {
  return sketch.seconds(rates.model, rates.limits, static_cast<double>(bytes) / sketch.parts);
}

const Ranking::Sketch* Ranking::find(const Choice& choice) const {
  const auto found = std::ranges::find_if(sketches_, [&](const Sketch& each) {
    return each.choice.algorithm == choice.algorithm &&
           each.choice.parameters == choice.parameters && each.choice.travel == choice.travel;
  });
  return found == sketches_.end() ? nullptr : &*found;
}

std::optional<double> Ranking::seconds(const Choice& choice, std::int64_t bytes) const {
  const Sketch* const found = find(choice);
  return found == nullptr ? std::nullopt : std::optional(seconds(*found, rates_, bytes));
}

// Only messages determine a choice that depends on the network. Published inside nodes, the same
// messages take less time there, or not.
Ranking::Entry Ranking::published_if_faster(const Choice& choice, std::int64_t bytes) const {
  const double messages = seconds(*find(choice), rates_, bytes);
  Choice published = choice;
  published.travel = Travel::published;
  const auto takes = seconds(published, bytes);
  return takes && *takes < messages ? Entry{published, *takes} : Entry{choice, messages};
}

static bool sends_messages(const Choice& choice) {
  return choice.travel != Travel::published && choice.reorder == Reorder::off;
}

std::optional<Ranking::Surest> Ranking::surest_gain_over(const Choice& other,
                                                         std::int64_t bytes) const {
  const Sketch* const compared = find(other);
  if (compared == nullptr || slow() == nullptr) return {};
  const double usual = seconds(*compared, rates_, bytes),
               slow = seconds(*compared, *this->slow(), bytes);
  const Sketch* best = nullptr;
  double most = 0;
  for (const Sketch& each : sketches_) {
    if (!sends_messages(each.choice)) continue;
    const double gain =
        std::min(usual / seconds(each, rates_, bytes), slow / seconds(each, *this->slow(), bytes));
    if (gain <= most) continue;
    best = &each;
    most = gain;
  }
  const Entry found = published_if_faster(best->choice, bytes);
  return Surest{found.choice, found.seconds, most};
}

std::optional<Ranking::Safest> Ranking::safest(NetworkKind network,
                                               std::span<const std::int64_t> sizes,
                                               std::span<const Choice> rivals,
                                               double most_regret) const {
  if (networks_.empty()) return {};
  std::vector<const Rates*> possible;
  if (network == NetworkKind::any) possible.push_back(&rates_);
  for (const Rates& each : networks_) possible.push_back(&each);
  std::vector<double> regrets(sketches_.size(), 0);
  for (const Rates* const rates : possible)
    for (const std::int64_t bytes : sizes) {
      double least = std::numeric_limits<double>::infinity();
      for (const Choice& each : rivals)
        if (const Sketch* const rival = find(each))
          least = std::min(least, seconds(*rival, *rates, bytes));
      for (std::size_t i = 0; i < regrets.size(); ++i)
        regrets[i] = std::max(regrets[i], seconds(sketches_[i], *rates, bytes) / least);
    }
  for (std::size_t i = 0; i < regrets.size(); ++i)
    if (!sends_messages(sketches_[i].choice)) regrets[i] = std::numeric_limits<double>::infinity();
  const double least = std::ranges::min(regrets);
  if (!(least <= most_regret)) return {};
  auto best = static_cast<std::size_t>(std::ranges::find(regrets, least) - regrets.begin());
  if (network == NetworkKind::ethernet)
    for (std::size_t i = 0; i < regrets.size(); ++i)
      if (regrets[i] <= nearly_as_fast * least && sketches_[i].crossing < sketches_[best].crossing)
        best = i;
  const Entry found = published_if_faster(sketches_[best].choice, sizes.back());
  return Safest{found.choice, found.seconds, regrets[best]};
}

double Ranking::sure_gain(const Choice& one, const Choice& other, std::int64_t bytes) const {
  const Sketch *const ours = find(one), *const compared = find(other);
  if (ours == nullptr || compared == nullptr || slow() == nullptr) return 0;
  return std::min(seconds(*compared, rates_, bytes) / seconds(*ours, rates_, bytes),
                  seconds(*compared, *slow(), bytes) / seconds(*ours, *slow(), bytes));
}

std::vector<Ranking::Ranked> Ranking::ranked(const Rates& rates, std::int64_t bytes) const {
  std::vector<Ranked> result;
  double most = 0;  // seconds: another setting must take less
  for (const Sketch& each : sketches_) {
    const Ranked here{&each, seconds(each, rates, bytes)};
    if (result.empty() || result.back().sketch->choice.algorithm != each.choice.algorithm) {
      result.push_back(here);
      most = worth_it * here.seconds;
    } else if (here.seconds < most) {
      result.back() = here;
      most = here.seconds;
    }
  }
  std::ranges::stable_sort(result, {}, &Ranked::seconds);
  return result;
}

std::vector<Ranking::Entry> Ranking::at(std::int64_t bytes) const {
  std::vector<Entry> result;
  for (const Ranked& each : ranked(rates_, bytes))
    result.push_back({each.sketch->choice, each.seconds});
  return result;
}

std::vector<Ranking::Entry> Ranking::worth_trying(std::int64_t bytes) const {
  static constexpr std::size_t most = 6;
  static constexpr double longest = 4;
  std::vector<Entry> result;
  const auto add = [&](const std::vector<Ranked>& ranked, std::size_t up_to) {
    for (const Ranked& each : ranked) {
      if (result.size() >= up_to || each.seconds > longest * ranked.front().seconds) return;
      const Entry entry{each.sketch->choice, seconds(*each.sketch, rates_, bytes)};
      if (std::ranges::find(result, entry.seconds, &Entry::seconds) == result.end())
        result.push_back(entry);
    }
  };
  const auto as_modelled = ranked(rates_, bytes);
  if (slow() != nullptr) {
    add(as_modelled, most / 2);
    add(ranked(*slow(), bytes), most);
  }
  add(as_modelled, most);
  return result;
}

Shape shape_of(const Choice& choice, const Shape& known) {
  if (choice.native() || choice.reorder != Reorder::automatic) return choice.in(known);
  return Ranking(choice, known, usual_model()).at(reorder_bytes).front().choice.in(known);
}

std::size_t Ranking::memory() const {
  std::size_t bytes = sizeof *this;
  for (const Sketch& each : sketches_) {
    bytes += sizeof each;
    for (const Sketch::Round& round : each.rounds) {
      bytes += sizeof round + round.through.size() * sizeof(float);
      for (const Sketch::Part& part : round.parts)
        bytes += sizeof part + (part.out.size() + part.in.size()) * sizeof(Sketch::Load);
    }
  }
  return bytes;
}

}  // namespace toccata
