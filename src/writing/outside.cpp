#include "writing/outside.h"

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace toccata {

namespace {

// One list for the whole program, because ranks in one process (of a simulation) read the same
// files. It is never freed, so that code after main() can still use it.
struct Known {
  std::mutex mutex;
  std::set<std::string, std::less<>> texts;
  std::deque<Algorithm> algorithms;
  std::deque<std::unique_ptr<const Outside>> schedules;
  std::map<std::string_view, const Algorithm*> by_name;
};

Known& known() {
  static Known& all = *new Known;
  return all;
}

}  // namespace

std::string_view interned(std::string_view text) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  return *all.texts.emplace(text).first;
}

const Algorithm& add_outside(Algorithm algorithm, std::unique_ptr<const Outside> schedules) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  algorithm.outside = schedules.get();
  all.schedules.push_back(std::move(schedules));
  const Algorithm& added = all.algorithms.emplace_back(std::move(algorithm));
  all.by_name[added.name] = &added;
  return added;
}

const Algorithm* find_outside(std::string_view text) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  for (auto colon = text.size(); colon != std::string_view::npos && colon > 0;
       colon = text.rfind(':', colon - 1))
    if (const auto found = all.by_name.find(text.substr(0, colon)); found != all.by_name.end())
      return found->second;
  return nullptr;
}

}  // namespace toccata
