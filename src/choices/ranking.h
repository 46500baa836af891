#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "choices/choice.h"
#include "choices/network_kind.h"
#include "choices/sketch.h"

namespace toccata {

// The proved algorithms of a collective that can run in a place, ordered by their predicted time.
//
// This is faster than costs/cost.h, but less precise: it reads only the schedules of some ranks,
// once for all sizes. It assumes that ranks wait for each other after each round. So every round
// takes the work of the busiest of them, plus a latency halfway between the maximum and the mean.
// With many ranks, it leaves out algorithms whose number of rounds, and time to write a schedule,
// grow in proportion to the number of ranks.
//
// Each algorithm counts with its fastest setting for a size, if that takes at least 5% less time
// than the default. If the model may reorder ranks, it also counts with its fastest order. Its
// choice contains both.
class Ranking {
 public:
  // The settings that are ranked: the default only; or, with few ranks, also those that differ from
  // it in one parameter. A number is a quarter, half, double or four times the default; a chain has
  // 16 or 64 segments. If the ranks of each node share memory, algorithms that consider nodes also
  // count with their messages published there. `few` and `few_or_published` name rankings of a
  // few choices (deciding/network_rule).
  enum class Setting : std::uint8_t { standard, near, near_or_published, few, few_or_published };

  // All algorithms of a collective, with their ranks reordered as requested; if the model finds the
  // order, only in the default setting.
  Ranking(const Collective& collective, const Shape& known, const Model& model,
          const ReorderWish& wish = {}, Setting setting = Setting::near);
  // Only that choice, which must be possible there.
  Ranking(const Choice& choice, const Shape& known, const Model& model);
  // Only those of the choices that can run there. Choices without a travel count also with their
  // messages published inside nodes, if `published`.
  Ranking(const Collective& collective, std::span<const Choice> choices, const Shape& known,
          const Model& model, bool published);

  struct Entry {
    Choice choice;
    double seconds;
  };
  // For contributions, or messages, of `bytes`: the fastest first.
  std::vector<Entry> at(std::int64_t bytes) const;
  // The candidates to try if there are no measurements, the most promising first: at most six,
  // because the best one may be only fourth in a model of another machine. For an unknown machine,
  // three of them are the first of the usual ranking, and the next three the first others of a
  // ranking with Gigabit Ethernet. The usual model predicts the times of all. None takes more than
  // four times as long as the first of its ranking. Of those with exactly the same time, only one,
  // because they hardly differ.
  std::vector<Entry> worth_trying(std::int64_t bytes) const;

  // What gains most over another choice on any network: by the usual model and with Gigabit
  // Ethernet, in `gain` the smaller of both. It is found among choices that send messages; where
  // publishing them inside nodes takes less time, the result does so. `seconds` by the usual model.
  // Nothing if the machine is known, or the other choice is not ranked.
  struct Surest {
    Choice choice;
    double seconds, gain;
  };
  std::optional<Surest> surest_gain_over(const Choice& other, std::int64_t bytes) const;
  // The gain of one choice over another in this sense; 0 if one of them is not ranked, or the
  // machine is known.
  double sure_gain(const Choice& one, const Choice& other, std::int64_t bytes) const;

  // The time of one choice as a multiple of another's, over these networks. Nothing if one of them
  // is not ranked, or the machine is known.
  struct Ratio {
    double least, most;
  };
  std::optional<Ratio> ratio(const Choice& one, const Choice& other, NetworkKind network,
                             std::int64_t bytes) const;

  // A choice that is nearly the fastest for any MPI library and any of these networks: the one with
  // the least regret, which is the most that it takes as a multiple of the fastest rival, over
  // these networks and sizes. On Ethernet, the kernels of nodes also limit their messages, which no
  // model here contains. So there, of the choices with nearly the least regret, the one with the
  // fewest messages between nodes counts. `choice` and `seconds` (for the last size) as in Surest.
  // Nothing if the machine is known, or if all regrets are larger than `most_regret`.
  std::optional<Entry> safest(NetworkKind network, std::span<const std::int64_t> sizes,
                              std::span<const Choice> rivals, double most_regret) const;

  // A ranked choice of messages, published inside nodes if that takes less time by the usual model.
  Entry published_if_faster(const Choice& choice, std::int64_t bytes) const;

  // The predicted seconds of an algorithm with these parameters; nothing if they are not ranked.
  std::optional<double> seconds(const Choice& choice, std::int64_t bytes) const;

  std::size_t memory() const;

 private:
  struct Ranked {
    const Sketch* sketch;
    double seconds;
  };
  void add(const Sketcher& sketcher, const Choice& choice, const Shape& known);
  void add_networks(const Sketcher& sketcher, const Model& model);
  std::vector<const Rates*> possible(NetworkKind network) const;
  const Rates* slow() const { return networks_.empty() ? nullptr : &networks_.back(); }
  const Sketch* find(const Choice& choice) const;
  std::vector<Ranked> ranked(const Rates& rates, std::int64_t bytes) const;

  Rates rates_;
  std::vector<Rates> networks_;   // the same machine with others, down to the slowest; if unknown
  std::vector<Sketch> sketches_;  // by algorithm; the default setting and original order first
};

// The shape of a choice for a known communicator. If the model has to find the order, it does so
// for calls of reorder_bytes on a typical cluster. ChoiceError if the algorithm cannot run there.
Shape shape_of(const Choice& choice, const Shape& known);

}  // namespace toccata
