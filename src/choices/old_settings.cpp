#include "choices/old_settings.h"

#include <algorithm>
#include <array>

#include "choices/spelling.h"

namespace toccata {

namespace {

constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

constexpr std::array old{
    OldSetting{"TOCCATA_GUARD", "off", "TOCCATA", "model"},
    OldSetting{"TOCCATA_GUARD", "on", "", ""},
    OldSetting{"TOCCATA_REPRODUCIBLE", "1", "TOCCATA_SUMS", "reproducible"},
    OldSetting{"TOCCATA_REPRODUCIBLE", "0", "", ""},
    OldSetting{"TOCCATA_GUARD", "all", "TOCCATA_SUMS", "all"},
    OldSetting{"TOCCATA_LEARN", "off", "", ""},
    OldSetting{"TOCCATA_LEARN", "auto", "TOCCATA", "learn"},
    OldSetting{"TOCCATA_LEARN", "sums", "TOCCATA", "learn"},
    OldSetting{"TOCCATA_LEARN", "sums", "TOCCATA_SUMS", "learn"},
    OldSetting{"TOCCATA_LEARN", "FILE", "TOCCATA", "learn:FILE"},
    OldSetting{"TOCCATA_LEARN", "FILE", "TOCCATA_SUMS", "learn"},
    OldSetting{"TOCCATA_MODEL", "FILE", "TOCCATA_TUNING", "FILE", ','},
    OldSetting{"TOCCATA_PLACEMENT", "NAME", "TOCCATA_TOPOLOGY", "placement:NAME", ' '},
    OldSetting{"TOCCATA_REORDER", "NAME", "TOCCATA_TOPOLOGY", "reorder:NAME", ' '},
    OldSetting{"TOCCATA_REORDER_TOPOLOGIES", "1", "TOCCATA_TOPOLOGY", "reorder:topologies", ' '},
    OldSetting{"TOCCATA_REORDER_TOPOLOGIES", "0", "", ""},
};

}  // namespace

std::span<const OldSetting> old_settings() { return old; }

bool applies(const OldSetting& row, std::string_view value) {
  const auto first = std::ranges::find_if(old, [&](const OldSetting& each) {
    return each.name == row.name && fits(value, each.value);
  });
  return first != old.end() && first->value == row.value;
}

std::string value_now(const OldSetting& row, std::string_view value) {
  const std::size_t given = row.now.find_first_of(capitals);
  const std::string fixed(row.now.substr(0, given));
  return given == std::string_view::npos ? fixed : fixed + std::string(value);
}

std::string remark_on_old_setting(std::string_view name, std::string_view value) {
  std::string now, accepted;
  for (const OldSetting& row : old) {
    if (row.name != name) continue;
    if (!accepted.ends_with(row.value))
      accepted += (accepted.empty() ? "" : ", ") + std::string(row.value);
    if (!applies(row, value)) continue;
    now += now.empty() ? "" : " and ";
    now += row.setting.empty() ? "the default"
                               : std::string(row.setting) + "=" + value_now(row, value);
  }
  const std::string setting = std::string(name) + "=" + std::string(value);
  if (now.empty()) return setting + ": expected " + accepted + ". Ignoring it.";
  return setting + " is now " + now + "; the next version will not accept " + std::string(name);
}

}  // namespace toccata
