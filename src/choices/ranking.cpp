#include "choices/ranking.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "choices/proved.h"
#include "costs/assumed_models.h"
#include "writing/forests.h"
#include "writing/registry.h"

namespace toccata {

namespace {

constexpr int most_with_settings = 512;  // more ranks: only the default setting
constexpr int most_straight = 1024;      // ranks whose blocks are sent in one piece each
constexpr int most_linear = 4096;        // ranks for algorithms whose rounds or messages grow as p
constexpr std::int64_t affordable = 20'000;  // messages of all ranks whose traffic is computed
constexpr double nearly_as_fast = 1.05;      // times the time of the fastest
constexpr double worth_it = 0.95;            // of the time of the default setting, not reordered

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

// Whether an algorithm is for calls to which one rank is late. Nothing here knows which one, if
// any.
bool is_for_late_rank(const Algorithm& algorithm) {
  return std::ranges::find(algorithm.parameters, "late", &Parameter::name) !=
         algorithm.parameters.end();
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

Ranking::Ranking(const Collective& collective, const Shape& known, const Model& model,
                 const ReorderWish& wish, Setting setting) {
  const Sketcher sketcher(collective, known, model);
  rates_ = sketcher.rates(model);
  add_networks(sketcher, model);
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!algorithm->serves(collective) || algorithm->publishes || !is_proved(*algorithm) ||
        is_for_late_rank(*algorithm) || (algorithm->by_grid && known.grid == nullptr))
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
    if (order == Order::straight && shape.p > most_straight) continue;
    const Shape there = reordered(algorithm, shape, mapping, order);
    if (!algorithm.why_impossible(there.reordering->played).empty()) continue;
    Choice moved = choice;
    moved.reorder = asking_for(order);
    sketches_.push_back(sketcher.sketch(moved, there));
  }
}

const Sketch* Ranking::find(const Choice& choice) const {
  const auto found = std::ranges::find_if(sketches_, [&](const Sketch& each) {
    return each.choice.algorithm == choice.algorithm &&
           each.choice.parameters == choice.parameters && each.choice.travel == choice.travel;
  });
  return found == sketches_.end() ? nullptr : &*found;
}

std::optional<double> Ranking::seconds(const Choice& choice, std::int64_t bytes) const {
  const Sketch* const found = find(choice);
  return found == nullptr ? std::nullopt : std::optional(found->seconds(rates_, bytes));
}

// Only messages determine a choice that depends on the network. Published inside nodes, the same
// messages take less time there, or not.
Ranking::Entry Ranking::published_if_faster(const Choice& choice, std::int64_t bytes) const {
  const double messages = find(choice)->seconds(rates_, bytes);
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
  if (find(other) == nullptr || slow() == nullptr) return {};
  const Sketch* best = nullptr;
  double most = 0;
  for (const Sketch& each : sketches_) {
    if (!sends_messages(each.choice)) continue;
    const double gain = sure_gain(each.choice, other, bytes);
    if (gain <= most) continue;
    best = &each;
    most = gain;
  }
  const Entry found = published_if_faster(best->choice, bytes);
  return Surest{found.choice, found.seconds, most};
}

std::vector<const Rates*> Ranking::possible(NetworkKind network) const {
  std::vector<const Rates*> result;
  if (network == NetworkKind::any) result.push_back(&rates_);
  for (const Rates& each : networks_) result.push_back(&each);
  return result;
}

std::optional<Ranking::Ratio> Ranking::ratio(const Choice& one, const Choice& other,
                                             NetworkKind network, std::int64_t bytes) const {
  const Sketch *const ours = find(one), *const compared = find(other);
  if (ours == nullptr || compared == nullptr || networks_.empty()) return {};
  Ratio found{std::numeric_limits<double>::infinity(), 0};
  for (const Rates* const rates : possible(network)) {
    const double here = ours->seconds(*rates, bytes) / compared->seconds(*rates, bytes);
    found = {std::min(found.least, here), std::max(found.most, here)};
  }
  return found;
}

std::optional<Ranking::Entry> Ranking::safest(NetworkKind network,
                                              std::span<const std::int64_t> sizes,
                                              std::span<const Choice> rivals,
                                              double most_regret) const {
  if (networks_.empty()) return {};
  std::vector<double> regrets(sketches_.size(), 0);
  for (const Rates* const rates : possible(network))
    for (const std::int64_t bytes : sizes) {
      double least = std::numeric_limits<double>::infinity();
      for (const Choice& each : rivals)
        if (const Sketch* const rival = find(each))
          least = std::min(least, rival->seconds(*rates, bytes));
      for (std::size_t i = 0; i < regrets.size(); ++i)
        regrets[i] = std::max(regrets[i], sketches_[i].seconds(*rates, bytes) / least);
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
  return published_if_faster(sketches_[best].choice, sizes.back());
}

double Ranking::sure_gain(const Choice& one, const Choice& other, std::int64_t bytes) const {
  const Sketch *const ours = find(one), *const compared = find(other);
  if (ours == nullptr || compared == nullptr || slow() == nullptr) return 0;
  return std::min(compared->seconds(rates_, bytes) / ours->seconds(rates_, bytes),
                  compared->seconds(*slow(), bytes) / ours->seconds(*slow(), bytes));
}

std::vector<Ranking::Ranked> Ranking::ranked(const Rates& rates, std::int64_t bytes) const {
  std::vector<Ranked> result;
  double most = 0;  // seconds: another setting must take less
  for (const Sketch& each : sketches_) {
    const Ranked here{&each, each.seconds(rates, bytes)};
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
      const Entry entry{each.sketch->choice, each.sketch->seconds(rates_, bytes)};
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
  for (const Sketch& each : sketches_) bytes += each.memory();
  return bytes;
}

}  // namespace toccata
