#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "selection/ranking.h"

namespace toccata {

// A number that communicators of the same shape have in common, whichever ranks they have: the node
// of each rank (and its socket, core, ...), numbered by first appearance, and the mesh, if there is
// one. 0 if the shape does not say where the ranks run.
std::uint64_t digest_of(const Shape& known);

// A number from 1 to 2^52 for a choice: the same on all ranks, another for another choice.
double code_of(const Choice& choice);

// What a process knows of its communicators by their shape: which algorithms won trials, and
// rankings. Ranks have different histories, so no decision depends on it before the ranks of the
// communicator have agreed.
class Results {
 public:
  // Calls of one collective and size class, on communicators of one shape.
  struct Key {
    std::uint64_t shape;
    const Collective* collective;
    std::int64_t bytes;  // the most of the class
    auto operator<=>(const Key&) const = default;
  };

  // Native is not a winner: it forgets what won before.
  void keep(const Key& key, const Choice& winner);
  std::optional<Choice> winner(const Key& key) const;

  // The ranking of a collective with that root; made if it is not there.
  std::shared_ptr<const Ranking> ranking(
      std::uint64_t shape, const Collective& collective, int root, const ReorderWish& wish,
      const std::function<std::shared_ptr<const Ranking>()>& make);
  // Whether one is there, of any root.
  bool has_ranking(std::uint64_t shape, const Collective& collective) const;

  static constexpr std::size_t most_winners = 1024;
  static constexpr std::size_t most_rankings = 32;

 private:
  struct Ranked {
    std::uint64_t shape;
    const Collective* collective;
    int root;
    ReorderWish wish;
    std::shared_ptr<const Ranking> ranking;
  };

  mutable std::mutex mutex_;
  std::map<Key, Choice> winners_;
  std::list<Ranked> rankings_;  // the last one used comes first
};

}  // namespace toccata
