#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "topology/lines.h"
#include "topology/readers.h"
#include "topology/switches.h"
#include "topology/words.h"

namespace toccata {

namespace {

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Removes the text between two characters from the front of `text`.
bool take_between(std::string_view& text, char open, char close, std::string_view& inside) {
  if (!text.starts_with(open)) return false;
  const std::size_t end = text.find(close, 1);
  if (end == text.npos) return false;
  inside = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return true;
}

// The quoted text of `"node001 HCA-1" lid 3 4xQDR`: the host and its adapter.
std::string_view description_in(std::string_view comment) {
  skip_blanks(comment);
  std::string_view description;
  take_between(comment, '"', '"', description);
  return description;
}

// "4xQDR" in the text after a description. -f appends further words.
std::string_view speed_in(std::string_view comment) {
  for (const std::string_view word : split_words(comment.substr(comment.rfind('"') + 1)))
    if (word.find('x') != word.npos && parse_number(word.substr(0, word.find('x')))) return word;
  return "";
}

// "leaf1" of "MF0;leaf1:MQM8700/U1"
std::string_view name_of_switch(std::string_view description) {
  if (!description.starts_with("MF0;")) return description;
  description.remove_prefix(4);
  return description.substr(0, description.find(':'));
}

class Reader {
 public:
  Reader(std::string_view contents, const std::string& file) : lines_(contents, file) {}

  Fabric read() {
    while (lines_.next()) read_line();
    if (graph_.switches.empty())
      lines_.fail_all("has no switch; expected the output of ibnetdiscover");
    name_hosts();
    settle_hosts();
    connect();
    if (!has_hosts()) lines_.fail_all("has no switch with a host");
    Machine machine = graph_.machine(SwitchGraph::Levels::dividing);
    if (!remark_.empty()) machine.remark(remark_);
    return fabric(std::move(machine));
  }

 private:
  // The other end of a switch's port.
  struct Link {
    std::string id;
    std::string speed;
    std::string host = {};  // empty if it is not a host
    // The host's adapter and its port.
    std::pair<std::string, int> end = {};
  };

  void read_line() {
    std::string_view line = lines_.line();
    skip_blanks(line);
    if (line.starts_with('[')) return read_port(line);
    const auto words = split_words(line);
    if (words.front() == "Switch" || words.front() == "Ca" || words.front() == "Rt")
      return open_device(words.front(), line);
    // Headings of -g: "Chassis 1 (guid 0xc3)", "Hostname: n1", "Spine Nodes", "Non-Chassis Nodes"
    static constexpr std::array<std::string_view, 5> headings{"Chassis", "Non-Chassis", "Spine",
                                                              "Line", "Hostname:"};
    if (std::ranges::find(headings, words.front()) == headings.end() &&
        words.front().find('=') == std::string_view::npos)
      lines_.fail(quoted(words.front()) +
                  " is not Switch, Ca, Rt, a port [N] or KEY=VALUE; expected the "
                  "output of ibnetdiscover, with or without -g");
  }

  // Switch 36 "S-0002c902003f1f40"  # "MF0;switch-1:IS5030/U1" enhanced port 0 lid 1 lmc 0
  void open_device(std::string_view kind, std::string_view line) {
    std::string_view id;
    line.remove_prefix(kind.size());
    const auto words = split_words(line);
    const auto ports = words.empty() ? std::nullopt : parse_number(words.front());
    line.remove_prefix(std::min(line.find('"'), line.size()));
    if (!ports || !take_between(line, '"', '"', id) || id.empty())
      lines_.fail("expected " + std::string(kind) + ", its number of ports and its \"ID\"");
    at_ = -1;
    ports_ = *ports;
    in_device_ = true;
    if (kind != "Switch") return;
    at_ = static_cast<int>(graph_.switches.size());
    if (!by_id_.emplace(id, at_).second) lines_.fail("switch " + quoted(id) + " occurs twice");
    ids_.emplace_back(id);
    graph_.switches.push_back({std::string(id)});
    links_.emplace_back();
    if (const auto there = split_words(description_in(lines_.comment())); !there.empty())
      graph_.switches.back().name = name_of_switch(there.front());
  }

  // [1] "H-0002c9030002ad2a"[1](2c9030002ad2b)  # "node001 HCA-1" lid 3 4xQDR
  // With -g, the number on the outside of a chassis may follow a port: [1][ext 5]
  void read_port(std::string_view line) {
    std::string_view port, outside, guid, id, peer_port;
    bool good = take_between(line, '[', ']', port);
    take_between(line, '[', ']', outside);
    take_between(line, '(', ')', guid);
    skip_blanks(line);
    good = good && take_between(line, '"', '"', id) && take_between(line, '[', ']', peer_port);
    const auto number = good && !port.empty() ? parse_number(port) : std::nullopt;
    const auto peer = good && !peer_port.empty() ? parse_number(peer_port) : std::nullopt;
    if (!number || !peer || id.size() < 2) lines_.fail("expected a port as [N] \"ID\"[N]");
    if (!in_device_) lines_.fail("a port precedes the first Switch or Ca");
    if (*number < 1 || *number > ports_)
      lines_.fail("there is no port " + std::string(port) + " among " + std::to_string(ports_));
    if (at_ < 0) return;  // a host's port: the switch at its other end lists the same link
    Link link{std::string(id), std::string(speed_in(lines_.comment()))};
    // Aggregation nodes, which reduce messages inside switches, are not hosts.
    if (id.starts_with("H-") && lines_.comment().find("Aggregation Node") == std::string::npos) {
      const std::string_view description = description_in(lines_.comment());
      const auto words = split_words(description);
      link.host = words.empty() ? id : words.front();
      link.end = {words.size() < 2 ? "" : std::string(words[1]), *peer};
      adapters_.emplace(id, description);
    }
    if (!links_[at_].emplace(*number, std::move(link)).second)
      lines_.fail("port " + std::string(port) + " occurs twice");
  }

  // A host's adapters have different names, such as "n1 mlx5_0" and "n1 mlx5_1". So if two adapters
  // have the same one, its first word is not a host, as in "MT4129 ConnectX7 Mellanox Technologies"
  // or "localhost mlx5_0". Then every adapter is a host of its own.
  void name_hosts() {
    const auto first_word = [](std::string_view text) {
      const auto words = split_words(text);
      return words.empty() ? std::string_view() : words.front();
    };
    std::set<std::string_view> known, no_hosts;
    for (const auto& [id, name] : adapters_)
      if (split_words(name).size() > 1 && !known.insert(name).second)
        no_hosts.insert(first_word(name));
    std::vector<std::string> unnamed;
    for (const auto& [id, name] : adapters_)
      if (no_hosts.contains(first_word(name))) unnamed.push_back(id);
    if (unnamed.empty()) return;
    for (auto& ports : links_)
      for (auto& [port, link] : ports)
        if (no_hosts.contains(link.host)) link.host = link.id;
    remark_ = lines_.file() + ": " + std::to_string(unnamed.size()) +
              " adapters have names without a host, such as " + quoted(adapters_[unnamed.front()]) +
              "; each counts as a host with its GUID as name, such as " + unnamed.front() +
              ". For other names, use ibnetdiscover --node-name-map FILE.";
  }

  // A host with several ports belongs to the switch of its first one.
  void settle_hosts() {
    std::map<std::string, const Link*> first;
    for (const auto& ports : links_)
      for (const auto& [port, link] : ports) {
        const auto [known, is_new] = first.emplace(link.host, &link);
        if (!is_new && link.end < known->second->end) known->second = &link;
      }
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (const auto& [port, link] : links_[i])
        if (!link.host.empty() && first[link.host] == &link)
          graph_.switches[i].nodes.push_back(link.host);
  }

  // Links between switches, and their distances from hosts.
  void connect() {
    std::vector<SwitchGraph::Switch>& switches = graph_.switches;
    for (int i = 0; i < static_cast<int>(switches.size()); ++i)
      for (const auto& [port, link] : links_[i]) {
        if (!link.id.starts_with("S-")) continue;
        const auto peer = by_id_.find(link.id);
        if (peer == by_id_.end())
          lines_.fail_all("port " + std::to_string(port) + " of switch " + switches[i].name +
                          " leads to " + quoted(link.id) + ", which is not a switch of the file");
        switches[i].neighbors.insert(peer->second);
        switches[peer->second].neighbors.insert(i);
      }
    std::vector<int> reached;
    for (int i = 0; i < static_cast<int>(switches.size()); ++i)
      if (!switches[i].nodes.empty()) {
        switches[i].height = 0;
        reached.push_back(i);
      }
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int next : switches[reached[i]].neighbors)
        if (switches[next].height < 0) {
          switches[next].height = switches[reached[i]].height + 1;
          reached.push_back(next);
        }
  }

  bool has_hosts() const {
    return std::ranges::any_of(graph_.switches,
                               [](const SwitchGraph::Switch& each) { return each.height == 0; });
  }

  Fabric fabric(Machine machine) const {
    Fabric result{std::move(machine)};
    result.names = result.machine.level(result.machine.innermost()).labels;
    std::map<std::string_view, int> vertices;
    for (std::size_t i = 0; i < result.names.size(); ++i)
      vertices.emplace(result.names[i], static_cast<int>(i));
    const int hosts = static_cast<int>(result.names.size());
    std::set<std::string_view> names;
    for (const std::string& each : result.names) names.insert(each);
    std::vector<std::string> of_switches;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const std::string& name = graph_.switches[i].name;
      of_switches.push_back(names.insert(name).second ? name : ids_[i]);
    }
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (const auto& [port, link] : links_[i]) {
        const bool is_switch = link.id.starts_with("S-");
        if (!is_switch && link.host.empty()) continue;
        const int to =
            is_switch ? hosts + by_id_.find(link.id)->second : vertices.find(link.host)->second;
        result.cables.push_back({hosts + static_cast<int>(i), to, link.speed});
      }
    result.names.insert(result.names.end(), of_switches.begin(), of_switches.end());
    return result;
  }

  Lines lines_;
  SwitchGraph graph_;
  std::vector<std::string> ids_;            // by switch
  std::vector<std::map<int, Link>> links_;  // by switch, by port
  std::map<std::string, int, std::less<>> by_id_;
  std::map<std::string, std::string> adapters_;  // the names by ID
  std::string remark_;
  int at_ = -1;  // the switch whose ports follow; -1 for those of a host
  int ports_ = 0;
  bool in_device_ = false;
};

}  // namespace

Fabric read_fabric(std::string_view contents, const std::string& file) {
  return Reader(contents, file).read();
}

Machine read_ibnetdiscover(std::string_view contents, const std::string& file) {
  return read_fabric(contents, file).machine;
}

}  // namespace toccata
