#pragma once

#include <cstdlib>
#include <string>
#include <sys/auxv.h>

namespace toccata {

// Whether the process has more rights than the user who started it (setuid, setgid, file
// capabilities). Such a process must not let that user name files, libraries or algorithms.
inline bool has_borrowed_rights() { return getauxval(AT_SECURE) != 0; }

// A variable of the environment; null if it is not set, and in a process with borrowed rights.
inline const char* setting_in_environment(const char* name) {
  return has_borrowed_rights() ? nullptr : std::getenv(name);
}

}  // namespace toccata
