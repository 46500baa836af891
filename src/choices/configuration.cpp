#include "choices/configuration.h"

#include <filesystem>
#include <sstream>

#include "choices/spelling.h"
#include "choices/variables.h"
#include "topology/environment.h"
#include "topology/file.h"

namespace toccata {

Configuration::Configuration(const std::vector<std::string>& files) {
  for (const std::string& each : files) read(each);
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

std::string Configuration::value(const std::string& name) const {
  if (const char* value = setting_in_environment(name.c_str())) return value;
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.value;
}

std::string Configuration::origin(const std::string& name) const {
  if (setting_in_environment(name.c_str()) != nullptr) return "the environment";
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.file;
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
