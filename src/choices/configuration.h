#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// Settings by name: from the environment, or if not set there, from files. The user's file comes
// before the site's. Every line of a file is NAME=value, with a name that begins with TOCCATA;
// empty lines and lines that begin with # are ignored.
class Configuration {
 public:
  // Reads those files that exist; the first has precedence.
  explicit Configuration(const std::vector<std::string>& files = {});

  // "" if the setting is not set, or set to nothing.
  std::string value(const std::string& name) const;
  // "the environment", or the name of a file.
  std::string origin(const std::string& name) const;

  // The names in all files.
  std::vector<std::string> names() const;
  const std::vector<std::string>& files() const { return files_; }
  // One error message for each line that cannot be parsed.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void read(const std::string& file);

  struct Entry {
    std::string value, file;
  };
  std::map<std::string, Entry> entries_;
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
