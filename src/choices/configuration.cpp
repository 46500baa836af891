#include "choices/configuration.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <unistd.h>

#include "choices/old_settings.h"
#include "choices/spelling.h"
#include "choices/variables.h"
#include "topology/environment.h"
#include "topology/file.h"

namespace toccata {

namespace {

constexpr std::string_view environment_name = "the environment";

}  // namespace

std::vector<std::string> settings_in_environment() {
  std::vector<std::string> found;
  if (has_borrowed_rights()) return found;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (std::string_view(*each).starts_with("TOCCATA")) found.emplace_back(*each);
  return found;
}

Configuration::Configuration(const std::vector<std::string>& files,
                             const std::vector<std::string>& environment) {
  for (const std::string& each : environment) {
    const std::size_t equals = std::min(each.find('='), each.size() - 1);
    const std::string name = each.substr(0, equals);
    if (const std::string complaint = complaint_of_variable(name); !complaint.empty())
      complaints_.push_back(complaint);
    else
      entries_.try_emplace(name, Entry{each.substr(equals + 1), std::string(environment_name)});
  }
  for (const std::string& each : files) read(each);
  replace_old_settings();
}

void Configuration::read(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  std::istringstream in;
  try {
    in.str(read_regular_file(file, most_bytes_of_settings));
  } catch (const FileError& problem) {
    complaints_.push_back(std::string(problem.what()) + ". Ignoring the file.");
    return;
  }
  files_.push_back(file);
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const std::string_view line = trimmed(text);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    const std::string name(trimmed(line.substr(0, equals)));
    const std::string where = file + ":" + std::to_string(number) + ": ";
    const bool is_ours = name == "TOCCATA" || name.starts_with("TOCCATA_");
    if (equals == std::string_view::npos || !is_ours)
      complaints_.push_back(where + "'" + std::string(line) +
                            "' is not a setting; lines are NAME=value, such as TOCCATA_REPORT=1");
    else if (const std::string complaint = complaint_of_variable(name); !complaint.empty())
      complaints_.push_back(where + complaint);
    else
      entries_.try_emplace(name, Entry{std::string(trimmed(line.substr(equals + 1))), file});
  }
}

// TOCCATA_GUARD=off becomes TOCCATA=model, unless TOCCATA is set in the same place or in one that
// comes before it.
void Configuration::replace_old_settings() {
  for (const OldSetting& row : old_settings()) {
    const auto old = entries_.find(row.name);
    if (old == entries_.end() || row.setting.empty() || !applies(row, old->second.value)) continue;
    const auto [value, origin] = old->second;
    Entry& entry = entries_[std::string(row.setting)];
    const std::string now = value_now(row, value);
    const bool is_before = origin == environment_name && entry.origin != environment_name;
    if (row.separator != 0 && !entry.value.empty())
      entry.value += row.separator + now;
    else if (entry.value.empty() || is_before)
      entry = {now, origin};
  }
  for (const OldSetting& row : old_settings()) {
    const auto old = entries_.find(row.name);
    if (old == entries_.end()) continue;
    if (!old->second.value.empty())
      complaints_.push_back(remark_on_old_setting(row.name, old->second.value));
    entries_.erase(old);
  }
}

std::string Configuration::value(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.value;
}

std::string Configuration::origin(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.origin;
}

std::vector<std::string> Configuration::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

namespace {

// The value of `variable`, or the folder below the user's home; "" if neither exists. Relative
// paths do not count: they would be in the current directory, which may belong to another user.
std::string folder_of_user(const char* variable, const char* below_home) {
  const auto absolute = [](const char* folder) { return folder != nullptr && *folder == '/'; };
  if (const char* const folder = setting_in_environment(variable); absolute(folder)) return folder;
  const char* const home = setting_in_environment("HOME");
  return absolute(home) ? std::string(home) + below_home : "";
}

// PREFIX of a library at PREFIX/lib/.../libtoccata.so; "" for other paths.
std::string prefix_of(std::string_view library) {
  const std::filesystem::path path(library);
  for (auto folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (const auto name = folder.filename(); name == "lib" || name == "lib64")
      return folder.parent_path().string();
  return "";
}

// Those of the two folders that are known, each with its suffix appended.
std::vector<std::string> places(const std::string& users, const char* behind_users,
                                const std::string& prefix, const char* behind_prefix) {
  std::vector<std::string> result;
  if (has_borrowed_rights()) return result;
  if (!users.empty()) result.push_back(users + behind_users);
  if (!prefix.empty()) result.push_back(prefix + behind_prefix);
  return result;
}

}  // namespace

std::vector<std::string> configuration_files(std::string_view library) {
  const std::string prefix = prefix_of(library);
  const bool is_usr = prefix == "/usr";  // its settings are in /etc
  return places(folder_of_user("XDG_CONFIG_HOME", "/.config"), "/toccata/toccata.conf",
                is_usr ? "/etc" : prefix, is_usr ? "/toccata.conf" : "/etc/toccata.conf");
}

std::vector<std::string> tuning_folders(std::string_view library) {
  return places(folder_of_user("XDG_DATA_HOME", "/.local/share"), "/toccata/tuning",
                prefix_of(library), "/share/toccata/tuning");
}

}  // namespace toccata
