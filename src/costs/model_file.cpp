#include "costs/model_file.h"

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "topology/file.h"

namespace toccata {

namespace {

using Json = nlohmann::ordered_json;

// One object of a file; every error message names the file and the field.
class Fields {
 public:
  Fields(const Json& object, std::string file, std::string path)
      : object_(object), file_(std::move(file)), path_(std::move(path)) {
    if (!object.is_object()) throw ModelError(file_ + ": " + where() + " is not an object {...}");
  }

  void allow(std::initializer_list<std::string_view> names) const {
    for (const auto& [name, value] : object_.items())
      if (std::ranges::find(names, name) == names.end()) {
        std::string known;
        for (const std::string_view each : names) (known += known.empty() ? "" : ", ") += each;
        complain(name, "is not a field of a model; expected one of " + known);
      }
  }

  bool has(const char* name) const { return object_.contains(name); }

  const Json& at(const char* name) const {
    if (!has(name)) complain(name, "is missing");
    return object_.at(name);
  }

  // At least 0, like all seconds and bytes.
  double number(const char* name) const {
    const Json& value = at(name);
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
      complain(name, "is " + value.dump() + "; expected a number of at least 0");
    return value.get<double>();
  }
  double number(const char* name, double otherwise) const {
    return has(name) ? number(name) : otherwise;
  }
  std::int64_t bytes(const char* name) const {
    const Json& value = at(name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0)
      complain(name, "is " + value.dump() + "; expected an integer number of bytes");
    return value.get<std::int64_t>();
  }
  std::string string(const char* name) const {
    const Json& value = at(name);
    if (!value.is_string()) complain(name, "is " + value.dump() + "; expected a string");
    return value.get<std::string>();
  }
  std::string string(const char* name, const char* otherwise) const {
    return has(name) ? string(name) : otherwise;
  }
  const Json& list(const char* name) const {
    const Json& value = at(name);
    if (!value.is_array() || value.empty()) complain(name, "must be a list of at least one [...]");
    return value;
  }
  Fields object(const char* name) const { return {at(name), file_, path_ + name + "."}; }
  Fields object(const Json& element, const std::string& name) const {
    return {element, file_, path_ + name + "."};
  }

  [[noreturn]] void complain(const std::string& name, const std::string& what) const {
    throw ModelError(file_ + ": " + path_ + name + " " + what);
  }

 private:
  std::string where() const { return path_.empty() ? "this" : path_.substr(0, path_.size() - 1); }

  const Json& object_;
  std::string file_, path_;
};

Protocol protocol_of(const Fields& fields) {
  fields.allow({"alpha", "beta", "o", "g", "tau"});
  const Protocol result{.alpha = fields.number("alpha"),
                        .beta = fields.number("beta"),
                        .o = fields.number("o", 0),
                        .g = fields.number("g", 0),
                        .tau = fields.number("tau", 1)};
  if (result.tau > 1) fields.complain("tau", "is more than 1; expected a share from 0 to 1");
  return result;
}

Model::Level level_of(const Fields& fields) {
  fields.allow({"level", "threshold", "injection", "eager", "rendezvous"});
  Model::Level result{.name = fields.string("level"), .eager = protocol_of(fields.object("eager"))};
  if (fields.has("threshold") != fields.has("rendezvous"))
    fields.complain(fields.has("threshold") ? "rendezvous" : "threshold",
                    "is missing: give both rendezvous and threshold");
  if (fields.has("threshold")) {
    result.threshold = fields.bytes("threshold");
    result.rendezvous = protocol_of(fields.object("rendezvous"));
  }
  if (fields.has("injection")) {
    result.injection = fields.number("injection");
    if (result.injection == 0) fields.complain("injection", "is 0; expected bytes per second");
  }
  return result;
}

Model::Publishing publishing_of(const Fields& fields) {
  fields.allow({"latency", "write", "read"});
  return {.latency = fields.number("latency"),
          .write = fields.number("write"),
          .read = fields.number("read")};
}

Json json_of(const Protocol& protocol) {
  Json result{{"alpha", protocol.alpha}, {"beta", protocol.beta}};
  if (protocol.o != 0) result["o"] = protocol.o;
  if (protocol.g != 0) result["g"] = protocol.g;
  if (protocol.tau != 1) result["tau"] = protocol.tau;
  return result;
}

Json json_of(const Model::Level& level) {
  const Model::Level standard;
  Json result{{"level", level.name}};
  if (level.injection != standard.injection) result["injection"] = level.injection;
  if (level.threshold != standard.threshold) result["threshold"] = level.threshold;
  result["eager"] = json_of(level.eager);
  if (level.threshold != standard.threshold) result["rendezvous"] = json_of(level.rendezvous);
  return result;
}

}  // namespace

Model parse_model(std::string_view text, std::string_view file) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    throw ModelError(std::string(file) + ":" +
                     std::to_string(1 + std::ranges::count(before, '\n')) + ": this is not JSON");
  } catch (const Json::out_of_range&) {
    throw ModelError(std::string(file) + ": a number in it is too large");
  }
  const Fields fields(document, std::string(file), "");
  fields.allow({"name", "origin", "levels", "gamma", "copy", "pack", "start", "fresh", "kept",
                "publishing"});
  Model model{.name = fields.string("name"),
              .origin = fields.string("origin", ""),
              .gamma = fields.number("gamma", 0),
              .copy = fields.number("copy", 0),
              .pack = fields.number("pack", 0),
              .start = fields.number("start", 0),
              .fresh = fields.number("fresh", 0),
              .kept = fields.has("kept") ? fields.bytes("kept") : 0};
  if (fields.has("publishing")) model.publishing = publishing_of(fields.object("publishing"));
  for (const Json& each : fields.list("levels")) {
    const std::string field = "levels[" + std::to_string(model.levels.size()) + "]";
    const Fields level = fields.object(each, field);
    model.levels.push_back(level_of(level));
    const std::string& name = model.levels.back().name;
    if (model.levels.size() == 1 && name != "network")
      level.complain("level", "is \"" + name + "\"; the first level is \"network\"");
    for (std::size_t other = 0; other + 1 < model.levels.size(); ++other)
      if (model.levels[other].name == name)
        level.complain("level", "is \"" + name + "\", which is also the name of levels[" +
                                    std::to_string(other) + "]");
  }
  if (model.levels.front().injection != std::numeric_limits<double>::infinity())
    fields.complain("levels[0].injection", "has no effect: no message leaves the network");
  return model;
}

std::string json(const Model& model) {
  Json result{{"name", model.name}, {"origin", model.origin}, {"levels", Json::array()}};
  for (const Model::Level& each : model.levels) result["levels"].push_back(json_of(each));
  const std::pair<const char*, double> numbers[] = {{"gamma", model.gamma},
                                                    {"copy", model.copy},
                                                    {"pack", model.pack},
                                                    {"start", model.start},
                                                    {"fresh", model.fresh}};
  for (const auto& [name, value] : numbers)
    if (value != 0) result[name] = value;
  if (model.kept != 0) result["kept"] = model.kept;
  if (const auto& costs = model.publishing)
    result["publishing"] = {
        {"latency", costs->latency}, {"write", costs->write}, {"read", costs->read}};
  return result.dump(2) + "\n";
}

Model read_model(const std::string& path) {
  std::string text;
  try {
    text = read_regular_file(path, most_bytes_of_settings);
  } catch (const FileError& error) {
    throw ModelError(std::string(error.what()) + "; toccata calibrate -o writes models");
  }
  return parse_model(text, path);
}

bool is_model(const std::string& path) {
  try {
    const Json json = Json::parse(read_regular_file(path, most_bytes_of_settings), nullptr, false);
    return json.is_object() && json.contains("levels");
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace toccata
