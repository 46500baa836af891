#include "arrivals/series.h"

#include <istream>
#include <ostream>
#include <string>

namespace toccata {

void write(std::ostream& out, const Series& series) {
  const std::vector<Sample>& samples = series.samples.kept();
  out << series.collective->name << ' ' << series.group << ' ' << series.order << ' ' << series.p
      << ' ' << series.rank << ' ' << series.samples.mask() << ' ' << samples.size() << '\n';
  for (const Sample& each : samples)
    out << each.number << ' ' << each.arrived << ' ' << each.left << ' ' << each.root << ' '
        << each.row << '\n';
}

std::vector<Series> read_series(std::istream& in) {
  std::vector<Series> result;
  std::string name;
  std::uint64_t group = 0, mask = 0;
  int order = 0, p = 0, rank = 0;
  std::size_t count = 0;
  while (in >> name >> group >> order >> p >> rank >> mask >> count) {
    const Collective* const collective = find_collective(name);
    std::vector<Sample> samples;
    Sample sample;
    while (samples.size() < count &&
           in >> sample.number >> sample.arrived >> sample.left >> sample.root >> sample.row)
      samples.push_back(sample);
    if (collective == nullptr || samples.size() < count) break;
    result.push_back({collective, group, order, p, rank, Samples(mask, std::move(samples))});
  }
  return result;
}

}  // namespace toccata
