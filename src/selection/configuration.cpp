#include "selection/configuration.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace toccata {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Configuration::Configuration(const std::vector<std::string>& files) {
  for (const std::string& each : files) read(each);
}

void Configuration::read(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  std::ifstream in(file);
  if (!in) {
    complaints_.push_back(file + ": cannot be read; check its rights");
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
    if (equals == std::string_view::npos || !name.starts_with("TOCCATA"))
      complaints_.push_back(file + ":" + std::to_string(number) + ": '" + std::string(line) +
                            "' is no setting; lines are NAME=value, such as TOCCATA_REPORT=1");
    else
      entries_.try_emplace(name, Entry{std::string(trimmed(line.substr(equals + 1))), file});
  }
}

std::string Configuration::value(const std::string& name) const {
  if (const char* value = std::getenv(name.c_str())) return value;
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.value;
}

std::string Configuration::origin(const std::string& name) const {
  if (std::getenv(name.c_str()) != nullptr) return "the environment";
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second.file;
}

std::vector<std::string> configuration_files(std::string_view library) {
  std::vector<std::string> files;
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  if (config != nullptr && *config != '\0')
    files.push_back(std::string(config) + "/toccata/toccata.conf");
  else if (home != nullptr && *home != '\0')
    files.push_back(std::string(home) + "/.config/toccata/toccata.conf");
  const std::filesystem::path path(library);
  for (auto folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (const auto name = folder.filename(); name == "lib" || name == "lib64") {
      files.push_back((folder.parent_path() / "etc" / "toccata.conf").string());
      break;
    }
  return files;
}

}  // namespace toccata
