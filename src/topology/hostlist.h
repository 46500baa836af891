#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// Slurm's way of writing many hosts: "n[001-016,20],login" are n001, n002, ..., n016, n20, login.
// Several brackets in a name go through all combinations, the last fastest. TopologyError says what
// is wrong, without a place.
std::vector<std::string> expand_hosts(std::string_view list);

// Back again, in the same order: runs of numbers at the end of a name are folded.
std::string fold_hosts(std::span<const std::string> hosts);

}  // namespace toccata
