#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// The settings in the environment of this process, as NAME=value. None in a process with borrowed
// rights (topology/environment.h).
std::vector<std::string> settings_in_environment();

// Settings by name: from the environment, or if not set there, from files. The user's file comes
// before the site's. Every line of a file is NAME=value, with a name that begins with TOCCATA;
// empty lines and lines that begin with # are ignored. Old settings are replaced by new ones.
class Configuration {
 public:
  // Without settings; needs no memory.
  Configuration() = default;
  // Reads those files that exist; the first has precedence.
  explicit Configuration(const std::vector<std::string>& files,
                         const std::vector<std::string>& environment = settings_in_environment());

  // "" if the setting is not set, or set to nothing.
  std::string value(std::string_view name) const;
  // "the environment", or the name of a file; "" if the setting is not set.
  std::string origin(std::string_view name) const;

  // The names of all settings.
  std::vector<std::string> names() const;
  const std::vector<std::string>& files() const { return files_; }
  // One message for each line that cannot be parsed, unknown name, and old setting.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Entry {
    std::string value, origin;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  void read(const std::string& file);
  void replace_old_settings();

  Entries entries_;
  std::vector<std::string> files_;  // those that exist
  std::vector<std::string> complaints_;
};

// ${XDG_CONFIG_HOME:-~/.config}/toccata/toccata.conf, and PREFIX/etc/toccata.conf for a library at
// PREFIX/lib/.../libtoccata.so; /etc/toccata.conf if PREFIX is /usr. None in a process with
// borrowed rights (topology/environment.h), which reads no settings.
std::vector<std::string> configuration_files(std::string_view library);
// ${XDG_DATA_HOME:-~/.local/share}/toccata/tuning, and PREFIX/share/toccata/tuning.
std::vector<std::string> tuning_folders(std::string_view library);

}  // namespace toccata
