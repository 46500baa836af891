#include "selection/ranking.h"

#include <algorithm>

#include "algorithms/registry.h"
#include "topology/placement.h"

namespace toccata {

const Model& usual_model() {
  static const Model model = [] {
    Model usual;
    usual.name = "usual";
    usual.origin = "a cluster as there are many: assumed";
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
    usual.gamma = 1e-10;
    usual.copy = 5e-11;
    usual.pack = 1e-10;
    return usual;
  }();
  return model;
}

// What an algorithm does in blocks, round by round; of rounds in a row that are alike, the first.
struct Ranking::Sketch {
  struct Load {
    std::int32_t messages = 0;
    float blocks = 0, scattered = 0;  // scattered: of those, not in one piece
    bool operator==(const Load&) const = default;
  };
  // One rank's part in a round.
  struct Part {
    std::vector<Load> out = {}, in = {};  // by level of the model
    float copied = 0, reduced = 0;
    bool operator==(const Part&) const = default;
    bool empty() const { return out.empty() && in.empty() && copied == 0 && reduced == 0; }
  };
  struct Round {
    std::vector<Part> parts = {};
    float leaving = 0;  // how many ranks of a node send out of it
    int times = 1;
  };
  Choice choice = {};
  int parts = 1;
  std::vector<Round> rounds = {};

  // Seconds, where a block has so many bytes.
  double seconds(const Model& model, double injection, double block) const;
};

namespace {

constexpr int many_ranks = 1024;   // fewer of them are looked at
constexpr int most_linear = 4096;  // ranks for algorithms whose rounds or messages grow as these

// Those whose schedules are looked at: of some nodes the first, the second and the last rank, and
// ranks where patterns begin, end or have most to do.
std::vector<int> asked_ranks(const Shape& shape, const Regions* nodes) {
  const int p = shape.p;
  const bool few = p > many_ranks;
  std::vector<int> ranks;
  for (const int each : {0, p / 3}) ranks.push_back((shape.root + each) % p);
  if (!few || nodes == nullptr)
    for (const int each : {1, p - 1, p / 2, p / 2 + 1}) ranks.push_back((shape.root + each) % p);
  const auto ask = [&](int node) {
    const auto members = nodes->members(node);
    for (const std::size_t local : {std::size_t{0}, std::size_t{1}, members.size() - 1})
      ranks.push_back(members[std::min(local, members.size() - 1)]);
  };
  if (nodes != nullptr) ask(nodes->of(shape.root));
  if (nodes != nullptr && !few)
    for (const int node : {nodes->number() / 2, nodes->number() - 1}) ask(node);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// Whether an algorithm's messages or rounds grow as the number of ranks.
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

}  // namespace

Ranking::Ranking(const Collective& collective, const Shape& known, const Model& model)
    : model_(model) {
  const Placement* const placement = known.placement.get();
  const Machine* const machine = placement == nullptr ? nullptr : &placement->machine();
  const int node = machine == nullptr ? -1 : machine->find("node");
  const Regions* const nodes = node < 0 ? nullptr : &placement->regions(node);
  // At which level of the model ranks talk that share an object of the machine's.
  std::vector<int> level_of;
  for (int level = 0; machine != nullptr && level < machine->levels(); ++level) {
    const auto found = std::ranges::find(model.levels, machine->name(level), &Model::Level::name);
    level_of.push_back(found == model.levels.end()
                           ? (level_of.empty() ? 0 : level_of.back())
                           : static_cast<int>(found - model.levels.begin()));
  }
  const auto level = [&](int a, int b) {
    const int common = placement == nullptr ? -1 : placement->common_level(a, b);
    return common < 0 ? 0 : level_of[common];
  };
  const std::vector<int> asked = asked_ranks(known, nodes);
  const auto asked_of_first = std::ranges::count_if(asked, [&](int each) {
    return nodes != nullptr && nodes->of(each) == nodes->of(known.root);
  });

  for (const Algorithm* algorithm : all_algorithms()) {
    if (!algorithm->serves(collective) || (algorithm->by_grid && known.grid == nullptr)) continue;
    Shape shape = known;
    shape.parameters = Parameters(algorithm->parameters);
    if (!algorithm->why_impossible(shape).empty()) continue;
    if (shape.p > most_linear && is_linear(*algorithm)) continue;
    shape = algorithm->complete(std::move(shape));
    Sketch sketch{.choice = {.algorithm = algorithm, .parameters = shape.parameters},
                  .parts = shape.parts};
    for (const int rank : asked) {
      const Schedule schedule = algorithm->schedule(shape, rank);
      const bool in_first = nodes != nullptr && nodes->of(rank) == nodes->of(shape.root);
      if (static_cast<int>(sketch.rounds.size()) < schedule.rounds())
        sketch.rounds.resize(schedule.rounds());
      for (int number = 0; number < schedule.rounds(); ++number) {
        Sketch::Round& round = sketch.rounds[number];
        Sketch::Part part;
        bool leaves = false;
        const auto add = [&](std::span<const Message> messages, std::vector<Sketch::Load>& loads) {
          for (const Message& each : messages) {
            const int at = level(rank, each.peer);
            if (static_cast<int>(loads.size()) <= at) loads.resize(at + 1);
            const auto ranges = schedule.ranges(each);
            float blocks = 0;
            for (const BlockRange& range : ranges) blocks += static_cast<float>(range.blocks());
            loads[at].messages += 1;
            loads[at].blocks += blocks;
            if (ranges.size() != 1 || !ranges[0].consecutive()) loads[at].scattered += blocks;
            leaves = leaves || (nodes != nullptr && nodes->of(rank) != nodes->of(each.peer));
          }
        };
        add(schedule.sends(number), part.out);
        add(schedule.recvs(number), part.in);
        for (const Step& each : schedule.steps(number))
          for (const BlockRange& range : schedule.from(each))
            (each.reduces ? part.reduced : part.copied) += static_cast<float>(range.blocks());
        if (leaves && in_first) round.leaving += 1;
        if (!part.empty() && std::ranges::find(round.parts, part) == round.parts.end())
          round.parts.push_back(std::move(part));
      }
    }
    // Where more than one of those that were asked leave, they stand for all of the node.
    std::vector<Sketch::Round> rounds;
    for (Sketch::Round& each : sketch.rounds) {
      if (each.leaving > 1)
        each.leaving *= static_cast<float>(nodes->size(nodes->of(shape.root))) /
                        static_cast<float>(asked_of_first);
      if (!rounds.empty() && rounds.back().leaving == each.leaving &&
          rounds.back().parts == each.parts)
        ++rounds.back().times;
      else
        rounds.push_back(std::move(each));
    }
    sketch.rounds = std::move(rounds);
    sketches_.push_back(std::move(sketch));
  }
}

Ranking::~Ranking() = default;

double Ranking::Sketch::seconds(const Model& model, double injection, double block) const {
  double all = model.start;
  for (const Round& round : rounds) {
    double longest = 0;
    for (const Part& part : round.parts) {
      double takes = 0, latency = 0;
      for (const auto* loads : {&part.out, &part.in}) {
        double queue = 0;
        for (std::size_t at = 0; at < loads->size(); ++at) {
          const Load& load = (*loads)[at];
          if (load.messages == 0) continue;
          const Model::Level& level = model.levels[at];
          const double each = load.blocks * block / load.messages;
          const Protocol& way =
              each < static_cast<double>(level.threshold) ? level.eager : level.rendezvous;
          const double beta = at == 0 ? std::max(way.beta, injection * round.leaving) : way.beta;
          queue += way.o * load.messages + way.g * (load.messages - 1) +
                   each * beta * (1 + (load.messages - 1) * way.tau) +
                   load.scattered * block * model.pack;
          latency = std::max(latency, way.alpha + way.o);
        }
        takes = std::max(takes, queue);
      }
      takes += latency + block * (part.copied * model.copy + part.reduced * model.gamma);
      longest = std::max(longest, takes);
    }
    all += round.times * longest;
  }
  return all;
}

std::vector<Ranking::Entry> Ranking::at(std::int64_t bytes) const {
  double injection = 0;  // seconds a byte, of a node
  for (const Model::Level& each : model_.levels)
    if (each.name == "node" && each.injection < std::numeric_limits<double>::infinity())
      injection = 1 / each.injection;
  std::vector<Entry> result;
  for (const Sketch& each : sketches_)
    result.push_back(
        {each.choice, each.seconds(model_, injection, static_cast<double>(bytes) / each.parts)});
  std::ranges::stable_sort(result, {}, &Entry::seconds);
  return result;
}

std::size_t Ranking::memory() const {
  std::size_t bytes = sizeof *this;
  for (const Sketch& each : sketches_) {
    bytes += sizeof each;
    for (const Sketch::Round& round : each.rounds) {
      bytes += sizeof round;
      for (const Sketch::Part& part : round.parts)
        bytes += sizeof part + (part.out.size() + part.in.size()) * sizeof(Sketch::Load);
    }
  }
  return bytes;
}

}  // namespace toccata
