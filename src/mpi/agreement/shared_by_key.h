#pragma once

#include <map>
#include <memory>

namespace toccata {

// A value that all ranks with the same key share. If no rank holds it yet, make() creates it. A
// rank is a process of its own, except in the simulator, where ranks share one process.
template <typename Value, typename Key, typename Make>
std::shared_ptr<const Value> shared_by_key(const Key& key, Make&& make) {
#ifdef TOCCATA_SIMULATED
  static std::map<Key, std::weak_ptr<const Value>> held;
  std::weak_ptr<const Value>& here = held[key];
  if (auto found = here.lock()) return found;
  const auto made = std::make_shared<const Value>(make());
  here = made;
  return made;
#else
  static_cast<void>(key);
  return std::make_shared<const Value>(make());
#endif
}

}  // namespace toccata
