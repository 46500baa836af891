#pragma once

#include <cstddef>
#include <dlfcn.h>

#include "mpi/process/process.h"

namespace toccata {

// If the traffic of this process is recorded (src/recording), its record names the algorithms that
// serve its calls. The other library is loaded only then.
class Recorded {
 public:
  static bool is_on() { return teller() != nullptr; }

  // Call this at the end of a call that a service of ours serves.
  static void tell(const Service& service) {
    if (!is_on()) return;
    const std::string_view choice = service.key.choice;  // what runs, and for what, see Report::Key
    teller()(choice.data(), choice.substr(0, choice.find(", for ")).size());
  }

 private:
  using Tell = void (*)(const char* algorithm, std::size_t length);
  static Tell teller() {
    static const auto found = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "toccata_record_served"));
    return found;
  }
};

}  // namespace toccata
