#include "choices/tuning.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "choices/proved.h"
#include "choices/sized_choice.h"
#include "topology/file.h"
#include "topology/words.h"

namespace toccata {

namespace {

using Json = nlohmann::json;

// The distance of two numbers, as a ratio >= 1.
double apart(double a, double b) {
  return a == b ? 1 : std::max(a, b) / std::max(std::min(a, b), 1.0);
}

// The part of "leaf:2 node:8 socket:2 core:8" inside a node: "socket:2 core:8".
std::string_view inside(std::string_view machine) {
  const std::size_t node = machine.find("node:");
  if (node == std::string_view::npos) return machine;
  const std::size_t end = machine.find(' ', node);
  return end == std::string_view::npos ? "" : machine.substr(end + 1);
}

template <typename Value>
Value field(const Json& object, const char* name, const std::string& where) {
  if (!object.contains(name)) throw TuningError(where + ": " + name + " is missing");
  try {
    return object.at(name).get<Value>();
  } catch (const Json::exception&) {
    throw TuningError(where + ": " + name + " cannot be " + object.at(name).dump());
  }
}
// The same for an optional field.
template <typename Value>
Value field(const Json& object, const char* name, const std::string& where, Value otherwise) {
  return object.contains(name) ? field<Value>(object, name, where) : otherwise;
}

}  // namespace

const Tuning::Point* Tuning::find(const Collective& collective, int ranks, int nodes,
                                  std::int64_t bytes) const {
  const auto distance = [&](const Point& point) {
    return std::max(apart(point.ranks, ranks), apart(point.nodes, nodes));
  };
  // Calls of unknown size take the point for unknown sizes, otherwise that for the largest size.
  const auto size_distance = [&](const Point& point) {
    if (bytes < 0 && point.bytes < 0) return 1.0;
    return apart(static_cast<double>(point.bytes),
                 static_cast<double>(bytes < 0 ? SizedChoice::most_bytes : bytes));
  };
  const Point* nearest = nullptr;
  for (const Point& each : points) {
    if (each.collective != &collective || distance(each) > reach) continue;
    if (nearest != nullptr) {
      const double here = distance(each), there = distance(*nearest);
      if (here > there) continue;
      if (here == there && size_distance(each) >= size_distance(*nearest)) continue;
    }
    nearest = &each;
  }
  if (nearest == nullptr || bytes < 0) return nearest;
  return size_distance(*nearest) <= reach_of_sizes ? nearest : nullptr;
}

void Tuning::merge(const Tuning& other) {
  for (const Point& each : other.points) {
    const auto found =
        std::ranges::find_if(points, [&](const Point& point) { return point.is_at(each); });
    if (found == points.end())
      points.push_back(each);
    else
      *found = each;
  }
}

Tuning parse_tuning(std::string_view text, std::string_view name, std::string& unknown) {
  const std::string file(name);
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("toccata_tuning"))
    throw TuningError(file + ": is not a tuning file; `toccata tune` and TOCCATA=learn write them");
  const int version = field<int>(json, "toccata_tuning", file);
  if (version != Tuning::version)
    throw TuningError(file + ": has version " + std::to_string(version) +
                      ", but this Toccata reads version " + std::to_string(Tuning::version) +
                      "; let `toccata tune` or TOCCATA=learn write a new one");
  Tuning tuning;
  tuning.machine = field(json, "machine", file, std::string());
  tuning.mpi = field(json, "mpi", file, std::string());
  const Json points = field<Json>(json, "points", file);
  if (!points.is_array()) throw TuningError(file + ": points is not a list");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string where = file + ": points[" + std::to_string(i) + "]";
    if (!points[i].is_object()) throw TuningError(where + " is not an object");
    const auto collective = field<std::string>(points[i], "collective", where);
    const auto choice = field<std::string>(points[i], "choice", where);
    Tuning::Point point{.collective = find_collective(collective),
                        .ranks = field<int>(points[i], "ranks", where),
                        .nodes = field<int>(points[i], "nodes", where),
                        .bytes = field<std::int64_t>(points[i], "bytes", where),
                        .choice = {},
                        .seconds = field(points[i], "seconds", where, 0.0),
                        .native_seconds = field(points[i], "native_seconds", where, 0.0)};
    try {
      if (point.collective == nullptr)
        throw ChoiceError("there is no collective " + toccata::quoted(collective));
      point.choice = parse_choice(*point.collective, choice);
      if (!point.choice.native() && !is_proved(*point.choice.algorithm))
        throw ChoiceError(point.choice.algorithm->path() + " is " + std::string(not_proved));
      tuning.points.push_back(point);
    } catch (const ChoiceError& error) {
      if (unknown.empty()) unknown = where + ": " + error.what();
    }
  }
  return tuning;
}

Tuning read_tuning(const std::string& path, std::string& unknown) {
  std::string text;
  try {
    text = read_regular_file(path, most_bytes_of_settings);
  } catch (const FileError& error) {
    throw TuningError(error.what());
  }
  return parse_tuning(text, path, unknown);
}

std::string find_tuning(std::span<const std::string> folders, std::string_view mpi,
                        std::string_view node, std::vector<std::string>& complaints) {
  for (const std::string& folder : folders) {
    std::set<std::string> files;
    std::error_code error;
    for (const auto& each : std::filesystem::directory_iterator(folder, error))
      if (each.path().extension() == ".json") files.insert(each.path().string());
    for (const std::string& file : files) try {
        std::string unknown;
        const Tuning tuning = read_tuning(file, unknown);
        if (!tuning.mpi.empty() && mpi.starts_with(tuning.mpi) && inside(tuning.machine) == node)
          return file;
      } catch (const TuningError& problem) {
        complaints.push_back(problem.what());
      }
  }
  return "";
}

std::string json(const Tuning& tuning) {
  Json points = Json::array();
  for (const Tuning::Point& each : tuning.points) {
    Json point{{"collective", each.collective->name},
               {"ranks", each.ranks},
               {"nodes", each.nodes},
               {"bytes", each.bytes},
               {"choice", each.choice.text()}};
    if (each.seconds > 0) point["seconds"] = each.seconds;
    if (each.native_seconds > 0) point["native_seconds"] = each.native_seconds;
    points.push_back(std::move(point));
  }
  const nlohmann::ordered_json all{{"toccata_tuning", Tuning::version},
                                   {"machine", tuning.machine},
                                   {"mpi", tuning.mpi},
                                   {"points", points}};
  return all.dump(1) + "\n";
}

void add_to_tuning(const Tuning& learned, const std::string& path) {
  try {
    update_file(path, most_bytes_of_settings, [&](const std::string* text) {
      if (text == nullptr || text->empty()) return json(learned);
      std::string unknown;
      Tuning all = parse_tuning(*text, path, unknown);
      if (!unknown.empty())
        throw TuningError(unknown +
                          ". The file remains unchanged; set TOCCATA=learn:FILE with another file");
      if (all.machine != learned.machine || all.mpi != learned.mpi)
        throw TuningError(
            path + ": is for other nodes or another MPI; set TOCCATA=learn:FILE with another file");
      all.merge(learned);
      return json(all);
    });
  } catch (const FileError& error) {
    throw TuningError(error.what());
  }
}

}  // namespace toccata
