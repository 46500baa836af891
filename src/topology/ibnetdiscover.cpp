#include <algorithm>
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

// The quoted words of `"node001 HCA-1" lid 3 4xQDR`: the host and its adapter.
std::vector<std::string_view> description_in(std::string_view comment) {
  skip_blanks(comment);
  std::string_view description;
  take_between(comment, '"', '"', description);
  return split_words(description);
}

// "leaf1" of "MF0;leaf1:MQM8700/U1"
std::string_view name_of_switch(std::string_view description) {
  if (!description.starts_with("MF0;")) return description;
  description.remove_prefix(4);
  return description.substr(0, description.find(':'));
}

class Fabric {
 public:
  Fabric(std::string_view contents, const std::string& file) : lines_(contents, file) {}

  Machine read() {
    while (lines_.next()) read_line();
    if (switches_.empty()) lines_.fail_all("has no switch; expected the output of ibnetdiscover");
    settle_hosts();
    connect();
    if (leaves_.empty()) lines_.fail_all("has no switch with a host");
    return tree();
  }

 private:
  // The other end of a switch's port.
  struct Link {
    std::string id;
    std::string host = {};  // empty if it is not a host
    // The host's adapter and its port.
    std::pair<std::string, int> end = {};
  };
  struct Switch {
    std::string name;
    std::map<int, Link> links = {};  // by port
    std::vector<std::string> hosts = {};
    std::set<int> neighbors = {};
    int height = -1;  // hops from the nearest switch with a host
  };

  void read_line() {
    std::string_view line = lines_.line();
    skip_blanks(line);
    if (line.starts_with('[')) return read_port(line);
    const auto words = split_words(line);
    if (words.front() == "Switch" || words.front() == "Ca" || words.front() == "Rt")
      return open_device(words.front(), line);
    if (words.front().find('=') == std::string_view::npos)
      lines_.fail(quoted(words.front()) +
                  " is neither Switch, Ca or Rt, nor a port [N], nor KEY=VALUE");
  }

  // Switch 36 "S-0002c902003f1f40"  # "MF0;switch-1:IS5030/U1" enhanced port 0 lid 1 lmc 0
  void open_device(std::string_view kind, std::string_view line) {
    std::string_view id;
    line.remove_prefix(kind.size());
    const auto words = split_words(line);
    const auto ports = words.empty() ? std::nullopt : parse_number(words.front());
    line.remove_prefix(std::min(line.find('"'), line.size()));
    if (!ports || !take_between(line, '"', '"', id) || id.empty())
      lines_.fail(std::string(kind) + " is followed by its number of ports and its \"ID\"");
    at_ = -1;
    ports_ = *ports;
    in_device_ = true;
    if (kind != "Switch") return;
    at_ = static_cast<int>(switches_.size());
    if (!by_id_.emplace(id, at_).second) lines_.fail("switch " + quoted(id) + " occurs twice");
    switches_.push_back({std::string(id)});
    if (const auto words_there = description_in(lines_.comment()); !words_there.empty())
      switches_.back().name = name_of_switch(words_there.front());
  }

  // [1] "H-0002c9030002ad2a"[1](2c9030002ad2b)  # "node001 HCA-1" lid 3 4xQDR
  void read_port(std::string_view line) {
    std::string_view port, guid, id, peer_port;
    bool good = take_between(line, '[', ']', port);
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
    Link link{std::string(id)};
    // Aggregation nodes, which reduce messages inside switches, are not hosts.
    if (id.starts_with("H-") && lines_.comment().find("Aggregation Node") == std::string::npos) {
      const auto words = description_in(lines_.comment());
      link.host = words.empty() ? id : words.front();
      link.end = {words.size() < 2 ? "" : std::string(words[1]), *peer};
    }
    if (!switches_[at_].links.emplace(*number, std::move(link)).second)
      lines_.fail("port " + std::string(port) + " occurs twice");
  }

  // A host with several ports belongs to the switch of its first one.
  void settle_hosts() {
    std::map<std::string, const Link*> first;
    for (const Switch& each : switches_)
      for (const auto& [port, link] : each.links) {
        const auto [known, is_new] = first.emplace(link.host, &link);
        if (!is_new && link.end < known->second->end) known->second = &link;
      }
    for (Switch& each : switches_)
      for (const auto& [port, link] : each.links)
        if (!link.host.empty() && first[link.host] == &link) each.hosts.push_back(link.host);
  }

  // Links between switches, and their distances from hosts.
  void connect() {
    for (int i = 0; i < static_cast<int>(switches_.size()); ++i)
      for (const auto& [port, link] : switches_[i].links) {
        if (!link.id.starts_with("S-")) continue;
        const auto peer = by_id_.find(link.id);
        if (peer == by_id_.end())
          lines_.fail_all("port " + std::to_string(port) + " of switch " + switches_[i].name +
                          " leads to " + quoted(link.id) + ", which is not a switch of the file");
        switches_[i].neighbors.insert(peer->second);
        switches_[peer->second].neighbors.insert(i);
      }
    std::vector<int> reached;
    for (int i = 0; i < static_cast<int>(switches_.size()); ++i)
      if (!switches_[i].hosts.empty()) {
        switches_[i].height = 0;
        reached.push_back(i);
      }
    leaves_ = reached;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const int next : switches_[reached[i]].neighbors)
        if (switches_[next].height < 0) {
          switches_[next].height = switches_[reached[i]].height + 1;
          reached.push_back(next);
        }
  }

  // For every switch, the first switch that it can reach through switches of at most that `height`.
  std::vector<int> components(int height) const {
    std::vector<int> component(switches_.size(), -1);
    for (const int leaf : leaves_) {
      if (component[leaf] >= 0) continue;
      std::vector<int> reached{leaf};
      component[leaf] = leaf;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const int next : switches_[reached[i]].neighbors)
          if (component[next] < 0 && switches_[next].height >= 0 &&
              switches_[next].height <= height) {
            component[next] = leaf;
            reached.push_back(next);
          }
    }
    return component;
  }

  Machine tree() const {
    int top = 0;
    for (const Switch& each : switches_) top = std::max(top, each.height);
    // From the inside outwards: at each height, the object of each leaf. Divisions with one object
    // for all leaves, or as many as before, carry no information.
    std::vector<std::vector<int>> divisions;
    std::size_t last_number = leaves_.size();
    for (int height = 1; height <= top; ++height) {
      std::vector<int> division = components(height);
      const std::set<int> objects(division.begin(), division.end());
      const std::size_t number = objects.size() - objects.count(-1);
      if (number < last_number && number > 1) divisions.push_back(std::move(division));
      last_number = number;
    }
    SwitchTree result;
    // The leaves, then outwards.
    std::vector<int> current;  // the tree's switches of this level, by leaf
    for (const int leaf : leaves_) {
      current.push_back(static_cast<int>(result.switches.size()));
      result.switches.push_back({switches_[leaf].name, {}, switches_[leaf].hosts});
    }
    result.roots = current;
    for (const std::vector<int>& division : divisions) {
      std::map<int, int> made;  // by component
      std::vector<int> roots;
      std::vector<int> next;
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        const auto [known, is_new] =
            made.emplace(division[leaves_[i]], static_cast<int>(result.switches.size()));
        if (is_new) {
          result.switches.push_back({switch_level_name(1) + std::to_string(made.size())});
          roots.push_back(known->second);
        }
        std::vector<int>& inner = result.switches[known->second].switches;
        if (std::ranges::find(inner, current[i]) == inner.end()) inner.push_back(current[i]);
        next.push_back(known->second);
      }
      current = std::move(next);
      result.roots = std::move(roots);
    }
    return result.machine(switch_level_name);
  }

  Lines lines_;
  std::vector<Switch> switches_;
  std::map<std::string, int, std::less<>> by_id_;
  std::vector<int> leaves_;
  int at_ = -1;  // the switch whose ports follow; -1 for those of a host
  int ports_ = 0;
  bool in_device_ = false;
};

}  // namespace

Machine read_ibnetdiscover(std::string_view contents, const std::string& file) {
  return Fabric(contents, file).read();
}

}  // namespace toccata
