#include "mpi/settings/info.h"

#include <algorithm>
#include <array>
#include <string>

#include "mpi/settings/settings.h"

namespace toccata {

namespace {

// The value of a key; empty if there is none.
std::string value_of(MPI_Info info, const std::string& key) {
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int found = 0;
  PMPI_Info_get(info, const_cast<char*>(key.c_str()), MPI_MAX_INFO_VAL, value.data(), &found);
  return found != 0 ? std::string(value.data()) : std::string();
}

std::string key_of(const Collective& collective) {
  return "toccata_" + std::string(collective.name);
}

}  // namespace

void read_info(MPI_Info info, ReorderWish& wish) {
  if (info == MPI_INFO_NULL) return;
  if (const std::string how = value_of(info, "toccata_reorder"); !how.empty())
    wish.how = parse_reorder(how);
  if (const std::string pattern = value_of(info, "toccata_pattern"); !pattern.empty())
    wish.pattern = &pattern_named(pattern);
}

std::optional<SizedChoice> asked_in(MPI_Info info, const Collective& collective) {
  if (info == MPI_INFO_NULL) return {};
  const std::string key = key_of(collective), value = value_of(info, key);
  if (value.empty()) return {};
  try {
    return parse_sized_choice(collective, value);
  } catch (const ChoiceError& error) {
    throw ChoiceError("info key " + key + "=" + value + ": " + error.what());
  }
}

std::string cart_weights_in(MPI_Info info) {
  return info == MPI_INFO_NULL ? "" : value_of(info, "toccata_cart_weights");
}

bool has_keys_of_ours(MPI_Info info) {
  if (info == MPI_INFO_NULL || !Settings::get().is_our_mpi()) return false;
  return !value_of(info, "toccata_reorder").empty() || !value_of(info, "toccata_pattern").empty() ||
         !cart_weights_in(info).empty() ||
         std::ranges::any_of(collectives(), [&](const Collective* each) {
           return !value_of(info, key_of(*each)).empty();
         });
}

}  // namespace toccata
