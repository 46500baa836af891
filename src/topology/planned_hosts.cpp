#include "topology/planned_hosts.h"

#include <charconv>

#include "topology/words.h"

namespace toccata {

namespace {

std::string_view without_domain(std::string_view host) { return host.substr(0, host.find('.')); }

bool same(std::string_view a, std::string_view b) {
  const auto has_domain = [](std::string_view host) { return host.find('.') != host.npos; };
  return has_domain(a) && has_domain(b) ? a == b : without_domain(a) == without_domain(b);
}

}  // namespace

std::string complaint_of_place(std::string_view plan, int rank, int ranks, std::string_view host) {
  if (plan.empty()) return "";
  std::string_view planned;
  int end = 0;
  for (const std::string_view part : split(plan, ',')) {
    const std::string_view name = part.substr(0, part.find('*'));
    int number = 1;
    if (name.size() < part.size())
      std::from_chars(part.data() + name.size() + 1, part.data() + part.size(), number);
    if (rank >= end && rank < end + number) planned = name;
    end += number;
  }
  if (end != ranks)
    return "toccata run --place has a file of " + std::to_string(end) +
           " ranks, but the program has " + std::to_string(ranks) +
           "; record it with this number of ranks";
  if (same(planned, host)) return "";
  return "rank " + std::to_string(rank) + " runs on " + std::string(host) +
         ", but toccata run --place put it on " + std::string(planned) +
         "; leave out other options and variables that place ranks";
}

}  // namespace toccata
