#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// Slurm's notation for many hosts: "n[001-016,20],login" means n001, n002, ..., n016, n20, login.
// Several brackets in one name produce all combinations, the last one fastest. TopologyError states
// the reason, without a position.
std::vector<std::string> expand_hosts(std::string_view list);

// The opposite, in the same order: consecutive numbers at the end of a name become a range.
std::string fold_hosts(std::span<const std::string> hosts);

}  // namespace toccata
