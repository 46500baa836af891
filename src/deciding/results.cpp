#include "deciding/results.h"

#include <algorithm>
#include <string>

#include "collectives/neighborhood.h"
#include "text/digest.h"
#include "topology/mesh.h"
#include "topology/placement.h"

namespace toccata {

std::uint64_t digest_of(const Shape& known) {
  if (known.placement == nullptr) return 0;
  const Placement& placement = *known.placement;
  const Machine& machine = placement.machine();
  Digest digest;
  digest.add(static_cast<std::uint64_t>(known.p));
  for (int level = 0; level < machine.levels(); ++level) {
    digest.add(machine.name(level));
    for (int rank = 0; rank < known.p; ++rank)
      digest.add(static_cast<std::uint64_t>(placement.regions(level).of(rank)));
  }
  if (machine.network()) {  // the cells of ranks matter, too
    for (const int each : machine.network()->dims) digest.add(static_cast<std::uint64_t>(each));
    for (int rank = 0; rank < known.p; ++rank) {
      const Place& place = placement.place(rank);
      digest.add(static_cast<std::uint64_t>(machine.ancestor(place.level, place.object, 0)));
    }
  }
  if (known.grid != nullptr) {
    const Mesh& mesh = known.grid->mesh;
    for (std::size_t i = 0; i < mesh.dims.size(); ++i) {
      digest.add(static_cast<std::uint64_t>(mesh.dims[i]));
      digest.add(static_cast<std::uint64_t>(mesh.periodic[i] ? 1 : 0));
    }
    for (int cell = 0; cell < known.p; ++cell)
      digest.add(static_cast<std::uint64_t>(known.grid->rank_at(cell)));
  }
  if (known.neighborhood != nullptr) digest.add(digest_of(*known.neighborhood));
  return digest.value() | 1;
}

std::uint64_t digest_of(const Neighborhood& known) {
  Digest digest;
  const auto add = [&](std::int64_t number) { digest.add(static_cast<std::uint64_t>(number)); };
  for (const Neighbors& each : known.known()) {
    add(each.blocks_in), add(each.blocks_out);
    for (const auto* edges : {&each.in, &each.out}) {
      add(std::ssize(*edges));
      for (const Neighbors::Edge& edge : *edges) add(edge.peer), add(edge.block);
    }
  }
  return digest.value() | 1;
}

double code_of(const Choice& choice) {
  return static_cast<double>((digest(choice.text()) >> 12) + 1);
}

void Results::keep(const Key& key, const Choice& winner) {
  if (key.shape == 0) return;
  const std::lock_guard lock(mutex_);
  if (winner.native())
    winners_.erase(key);
  else if (winners_.size() < most_winners || winners_.contains(key))
    winners_.insert_or_assign(key, winner);
}

std::optional<Choice> Results::winner(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = winners_.find(key);
  return found == winners_.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const Ranking> Results::ranking(
    std::uint64_t shape, const Collective& collective, int root, const ReorderWish& wish,
    Ranking::Setting setting, const std::function<std::shared_ptr<const Ranking>()>& make) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(rankings_, [&](const Ranked& each) {
      return each.shape == shape && each.collective == &collective && each.root == root &&
             each.wish.how == wish.how && each.wish.pattern == wish.pattern &&
             each.setting == setting;
    });
    if (found != rankings_.end()) {
      rankings_.splice(rankings_.begin(), rankings_, found);
      return found->ranking;
    }
  }
  auto made = make();
  const std::lock_guard lock(mutex_);
  rankings_.push_front({shape, &collective, root, wish, setting, made});
  if (rankings_.size() > most_rankings) rankings_.pop_back();
  return made;
}

bool Results::has_ranking(std::uint64_t shape, const Collective& collective) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(rankings_, [&](const Ranked& each) {
    return each.shape == shape && each.collective == &collective &&
           each.setting <= Ranking::Setting::near_or_published;
  });
}

}  // namespace toccata
