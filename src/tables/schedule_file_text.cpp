#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tables/schedule_file.h"
#include "text/digest.h"

namespace toccata::schedule_file {

namespace {

constexpr std::string_view first_line = R"({"toccata_schedules": 1, "digest": ")";
constexpr std::size_t digits = 16;

std::string hexadecimal(std::uint64_t value) {
  std::array<char, digits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

void write(const BlockRange& range, std::string& text) {
  text += "[\"";
  text += name(range.buffer);
  text += "\"," + std::to_string(range.first);
  if (range.count != 1 || range.repeat != 1) text += "," + std::to_string(range.count);
  if (range.repeat != 1)
    text += "," + std::to_string(range.stride) + "," + std::to_string(range.repeat);
  text += "]";
}

void write(std::span<const BlockRange> ranges, std::string& text) {
  const char* between = "";
  for (const BlockRange& each : ranges) {
    text += between;
    write(each, text);
    between = ",";
  }
}

void write(const Schedule& schedule, const Message& message, const char* what, std::string& text) {
  text += std::string("[\"") + what + "\"," + std::to_string(message.peer);
  if (message.channel != 0) text += R"(,"channel",)" + std::to_string(message.channel);
  if (message.travel != Travel::whole)
    text += R"(,"travel",")" + std::string(name(message.travel)) + '"';
  for (const BlockRange& each : schedule.ranges(message)) {
    text += ",";
    write(each, text);
  }
  text += "]";
}

void write_side(std::span<const BlockRange> ranges, std::string& text) {
  text += ranges.size() == 1 ? "," : ",[";
  write(ranges, text);
  text += ranges.size() == 1 ? "" : "]";
}

void write(const Schedule& schedule, std::string& text) {
  text += "[[";
  write(schedule.scratch(), text);
  text += "]";
  for (int round = 0; round < schedule.rounds(); ++round) {
    text += ",[";
    const std::size_t before = text.size();
    const auto next = [&] {
      if (text.size() > before) text += ",";
    };
    for (const Message& each : schedule.sends(round)) {
      next();
      write(schedule, each, "send", text);
    }
    for (const Message& each : schedule.recvs(round)) {
      next();
      write(schedule, each, "recv", text);
    }
    for (const Step& each : schedule.steps(round)) {
      next();
      text += each.reduces ? "[\"reduce\"" : "[\"copy\"";
      write_side(schedule.from(each), text);
      write_side(schedule.into(each), text);
      text += "]";
    }
    text += "]";
  }
  text += "]";
}

}  // namespace

std::string text(const Algorithm& algorithm, std::span<const Shape> shapes, Travel travel) {
  const nlohmann::ordered_json about{{"collective", algorithm.collective.name},
                                     {"name", algorithm.name},
                                     {"summary", algorithm.summary},
                                     {"citation", algorithm.citation},
                                     {"blocks_alike", algorithm.blocks_alike},
                                     {"relays", algorithm.relays},
                                     {"ordered", algorithm.ordered},
                                     {"reproducible", algorithm.reproducible}};
  std::string body = "\"algorithm\": " + about.dump() + ",\n\"tables\": [\n";
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    for (int rank = 0; rank < shape.p; ++rank) {
      Schedule schedule = algorithm.schedule(shape, rank);
      if (travel != Travel::whole) schedule.set_travel(travel);
      if (rank == 0)
        body += "{\"ranks\": " + std::to_string(shape.p) +
                ", \"root\": " + std::to_string(shape.root) +
                ", \"parts\": " + std::to_string(shape.parts) +
                ", \"channels\": " + std::to_string(schedule.channels()) + ", \"schedules\": [\n";
      write(schedule, body);
      body += rank + 1 < shape.p ? ",\n" : "\n";
    }
    body += i + 1 < shapes.size() ? "]},\n" : "]}\n";
  }
  body += "]}\n";
  return std::string(first_line) + hexadecimal(digest(body)) + "\",\n" + body;
}

std::uint64_t digest_of(std::string_view text, std::string_view name) {
  const std::string file(name);
  if (text.size() > most_bytes) throw Error(file + ": is too large");
  if (!text.starts_with(R"({"toccata_schedules": )"))
    throw Error(file + ": is not a file of schedules; `toccata prove -o` writes them");
  if (!text.starts_with(first_line))
    throw Error(file + ": has another version than this Toccata reads (" + std::to_string(version) +
                "); write it again with `toccata prove -o`");
  const std::string_view said = text.substr(first_line.size(), digits);
  const std::size_t end = first_line.size() + digits + 3;
  if (text.size() < end || text.substr(end - 3, 3) != "\",\n")
    throw Error(file + ": line 1 has no digest");
  const std::uint64_t found = digest(text.substr(end));
  if (said != hexadecimal(found))
    throw Error(file + ": was changed after it was written: its digest is " + hexadecimal(found) +
                ", line 1 says " +
                (std::ranges::all_of(said, [](unsigned char c) { return c > 32 && c < 127; })
                     ? std::string(said)
                     : "something else") +
                "; write it again with `toccata prove -o`");
  return found;
}

}  // namespace toccata::schedule_file
