#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toccata {

// Settings by name, as the environment has them, and where it says nothing, files: the user's
// before the site's. In a file every line is NAME=value, of names that begin with TOCCATA; empty
// lines and such as begin with # are left out.
class Configuration {
 public:
  // Reads those of the files that are there, the first of which counts most.
  explicit Configuration(const std::vector<std::string>& files = {});

  // "" where nothing is said, or nothing is said to it.
  std::string value(const std::string& name) const;
  // "the environment", or the name of a file.
  std::string origin(const std::string& name) const;

  // All that files have.
  std::vector<std::string> names() const;
  const std::vector<std::string>& files() const { return files_; }
  // What cannot be understood, a line each.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  void read(const std::string& file);

  struct Entry {
    std::string value, file;
  };
  std::map<std::string, Entry> entries_;
  std::vector<std::string> files_;  // that were there
  std::vector<std::string> complaints_;
};

// ${XDG_CONFIG_HOME:-~/.config}/toccata/toccata.conf, and PREFIX/etc/toccata.conf of a library at
// PREFIX/lib/.../libtoccata.so; /etc/toccata.conf where PREFIX is /usr. None in a process with
// borrowed rights (topology/environment.h), which reads no settings from anywhere.
std::vector<std::string> configuration_files(std::string_view library);
// ${XDG_DATA_HOME:-~/.local/share}/toccata/tuning, and PREFIX/share/toccata/tuning.
std::vector<std::string> tuning_folders(std::string_view library);

}  // namespace toccata
