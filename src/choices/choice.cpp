#include "choices/choice.h"

#include <algorithm>
#include <charconv>

#include "choices/spelling.h"
#include "topology/words.h"
#include "writing/outside.h"
#include "writing/registry.h"

namespace toccata {

namespace {

// The parameter `travel`, which every algorithm has; its values are those of Travel.
const Parameter& travel() {
  static const Parameter parameter =
      choice("travel", "how messages of several pieces are sent",
             {"whole", "packed", "datatype", "per_block", "published"});
  return parameter;
}

// The parameter `reorder`, which every algorithm has; its values are those of Reorder.
const Parameter& reordering() {
  static const Parameter parameter = choice(
      "reorder", "whether ranks exchange roles, and how buffers keep their order", reorder_words());
  return parameter;
}

const Parameter& mapped_by() {
  static const Parameter parameter = [] {
    std::vector<std::string_view> words{"own"};
    for (const Pattern& each : patterns()) words.push_back(each.name);
    return choice("pattern", "communication pattern for which ranks are reordered", words);
  }();
  return parameter;
}

const Algorithm& parse_name(const Collective& collective, std::string_view name) {
  std::string_view short_name = name;
  for (const Collective* each : {&collective, &collective.regular()})
    if (const std::string prefix = std::string(each->name) + "/"; short_name.starts_with(prefix)) {
      short_name.remove_prefix(prefix.size());
      break;
    }
  if (const Algorithm* found = find_algorithm(collective, short_name)) return *found;
  std::string known = "native";
  for (const Algorithm* each : all_algorithms())
    if (each->serves(collective)) (known += ", ") += each->name;
  throw ChoiceError((short_name.empty() ? "the name of the " + std::string(collective.name) +
                                              " algorithm is missing"
                                        : "there is no " + std::string(collective.name) +
                                              " algorithm " + toccata::quoted(name)) +
                    "; expected one of " + known);
}

// "messages=per_round|per_block, travel=..."
std::string accepts(const Algorithm& algorithm) {
  std::string known;
  for (const Parameter& parameter : algorithm.parameters)
    known += std::string(parameter.name) + "=" + parameter.accepts() + ", ";
  return known + "travel=" + travel().accepts() + ", reorder=" + reordering().accepts() +
         ", pattern=" + mapped_by().accepts();
}

// An algorithm from outside, whose name may contain colons, and the length of its name in `text`.
const Algorithm* outside_in(const Collective& collective, std::string_view text) {
  const Algorithm* const found = find_outside(text);
  if (found == nullptr) {
    if (text.starts_with("file:"))
      throw ChoiceError(toccata::quoted(text) +
                        " has not been read: Toccata reads only files that a TOCCATA_<COLLECTIVE> "
                        "variable names");
    return nullptr;
  }
  if (!found->serves(collective))
    throw ChoiceError(
        std::string(found->name) + " is an algorithm of " + std::string(found->collective.name) +
        (&found->collective == &collective.regular() ? " and cannot serve blocks of different sizes"
                                                     : ", not of " + std::string(collective.name)));
  return found;
}

const Parameter& parse_parameter(const Algorithm& algorithm, std::string_view name) {
  if (name == travel().name) return travel();
  if (name == reordering().name) return reordering();
  if (name == mapped_by().name) return mapped_by();
  for (const Parameter& parameter : algorithm.parameters)
    if (parameter.name == name) return parameter;
  throw ChoiceError(algorithm.path() + " has no parameter " + toccata::quoted(name) +
                    "; expected " + accepts(algorithm));
}

int parse_value(const Parameter& parameter, std::string_view text) {
  if (parameter.is_choice()) {
    const auto found = std::ranges::find(parameter.words, text);
    if (found != parameter.words.end()) return static_cast<int>(found - parameter.words.begin());
  } else {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool complete = error == std::errc{} && end == text.data() + text.size();
    if (complete && value >= parameter.least && value <= parameter.most) return value;
  }
  throw ChoiceError("parameter " + std::string(parameter.name) + " cannot be " +
                    toccata::quoted(text) + "; expected " + parameter.accepts());
}

// Reads "PARAMETER=VALUE" and returns the parameter.
const Parameter& parse_setting(Choice& choice, std::string_view setting) {
  if (setting.empty())
    throw ChoiceError("a parameter is missing after ':' or ','; " + choice.algorithm->path() +
                      " accepts " + accepts(*choice.algorithm));
  const std::size_t equals = setting.find('=');
  const Parameter& parameter = parse_parameter(*choice.algorithm, setting.substr(0, equals));
  if (equals == std::string_view::npos)
    throw ChoiceError("parameter " + std::string(parameter.name) + " has no value; expected " +
                      parameter.accepts());
  const int value = parse_value(parameter, setting.substr(equals + 1));
  if (&parameter == &travel())
    choice.travel = static_cast<Travel>(value);
  else if (&parameter == &reordering())
    choice.reorder = static_cast<Reorder>(value);
  else if (&parameter == &mapped_by())
    choice.pattern = value == 0 ? nullptr : &patterns()[value - 1];
  else
    choice.parameters.set(parameter, value);
  return parameter;
}

}  // namespace

std::string Choice::text() const {
  if (native()) return "native";
  std::string settings = parameters.text();
  const auto add = [&](std::string_view setting, std::string_view word) {
    settings += (settings.empty() ? ":" : ",") + std::string(setting) + "=" + std::string(word);
  };
  if (travel != Travel::whole) add("travel", name(travel));
  if (reorder != Reorder::off) add("reorder", reorder_words()[static_cast<int>(reorder)]);
  if (pattern != nullptr) add("pattern", pattern->name);
  return std::string(algorithm->name) + settings;
}

Shape Choice::in(const Shape& known) const {
  if (native()) return known;
  Shape shape = known;
  shape.parameters = parameters;
  if (const std::string why = algorithm->why_impossible(shape); !why.empty())
    throw ChoiceError(algorithm->path() + " " + why + " (there are " + std::to_string(shape.p) +
                      " ranks)");
  shape = algorithm->complete(std::move(shape));
  if (reorder == Reorder::off) return shape;
  if (reorder == Reorder::automatic) throw std::logic_error("an order that is still to be found");
  if (const std::string why = why_impossible(*algorithm, order_of(reorder)); !why.empty())
    throw ChoiceError(algorithm->path() + " " + why);
  return toccata::reorder(*algorithm, shape, order_of(reorder), pattern);
}

Schedule Choice::schedule(const Shape& shape, int rank) const {
  Schedule schedule = algorithm->schedule(shape, rank);
  if (travel != Travel::whole) schedule.set_travel(travel);
  return schedule;
}

bool Choice::ordered() const {
  return algorithm->ordered && reorder != Reorder::straight && reorder != Reorder::shuffle;
}

bool Choice::publishes() const {
  return algorithm != nullptr && (algorithm->publishes || travel == Travel::published);
}

Choice with_wish(const Choice& choice, const Collective& collective, const ReorderWish& wish) {
  Choice result = choice;
  if (choice.native()) return result;
  if (result.reorder == Reorder::off) result.reorder = wish.how;
  if (result.pattern == nullptr) result.pattern = wish.pattern;
  const Algorithm& algorithm = *choice.algorithm;
  // Reproducible algorithms all give the same bits. An exchange does not change these.
  if (collective.reduces && algorithm.reproducible && result.reorder > Reorder::automatic)
    result.reorder = Reorder::exchange;
  const bool never = collective.among_neighbors || (collective.vector_of != nullptr &&
                                                    (collective.rooted || algorithm.blocks_alike));
  const bool impossible = result.reorder > Reorder::automatic &&
                          !why_impossible(algorithm, order_of(result.reorder)).empty();
  if (never || impossible) result.reorder = Reorder::off;
  if (result.reorder == Reorder::off) result.pattern = nullptr;
  return result;
}

const Pattern& pattern_named(std::string_view name) {
  if (const Pattern* found = find_pattern(name)) return *found;
  std::string known;
  for (const Pattern& each : patterns())
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw ChoiceError("there is no pattern " + toccata::quoted(name) + "; expected one of " + known +
                    ", or an algorithm such as allgather/bruck");
}

Reorder parse_reorder(std::string_view word) {
  if (switches_off(word)) return Reorder::off;
  if (switches_on(word)) return Reorder::automatic;
  return static_cast<Reorder>(parse_value(reordering(), word));
}

Choice parse_choice(const Collective& collective, std::string_view text) {
  Choice choice;
  const Algorithm* const outside = outside_in(collective, text);
  const std::size_t colon = text.find(':', outside == nullptr ? 0 : outside->name.size());
  const std::string_view name = text.substr(0, colon);
  if (name == "native") {
    if (colon != std::string_view::npos) throw ChoiceError("native takes no parameters");
    return choice;
  }
  choice.algorithm = outside != nullptr ? outside : &parse_name(collective, name);
  choice.parameters = Parameters(choice.algorithm->parameters);
  if (colon == std::string_view::npos) return choice;
  std::string_view settings = text.substr(colon + 1);
  std::vector<const Parameter*> given;
  while (true) {
    const std::size_t comma = settings.find(',');
    const Parameter& parameter = parse_setting(choice, settings.substr(0, comma));
    if (std::ranges::find(given, &parameter) != given.end())
      throw ChoiceError("parameter " + std::string(parameter.name) + " is given twice");
    given.push_back(&parameter);
    if (comma == std::string_view::npos) return choice;
    settings.remove_prefix(comma + 1);
  }
}

}  // namespace toccata
