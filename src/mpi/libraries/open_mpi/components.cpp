#include <algorithm>
#include <dlfcn.h>
#include <string>

#include "mpi/libraries/library.h"

namespace toccata {

namespace {

// Open MPI's variables, by functions of its library libopen-pal, which also serve MPI_T there. They
// take microseconds; MPI_T_init_thread takes 0.2 s, because it opens all components.
class Variables {
 public:
  bool are_readable() const { return find_ != nullptr && value_ != nullptr; }

  // The value of coll_COMPONENT_NAME; `instead` if there is no such variable.
  int number(const char* component, const char* name, int instead) const {
    const auto* const found = static_cast<const int*>(value_of(component, name));
    return found == nullptr ? instead : *found;
  }
  bool is_on(const char* component, const char* name, bool instead) const {
    const auto* const found = static_cast<const bool*>(value_of(component, name));
    return found == nullptr ? instead : *found;
  }
  // The value of `coll`, which selects or excludes components.
  std::string selection() const {
    const auto* const found = static_cast<const char* const*>(value_of(nullptr, nullptr));
    return found == nullptr || *found == nullptr ? "" : *found;
  }

 private:
  using Find = int (*)(const char* project, const char* framework, const char* component,
                       const char* name);
  using Value = int (*)(int index, const void* value, int* source, const char** file);

  const void* value_of(const char* component, const char* name) const {
    const int index = find_(nullptr, "coll", component, name);
    const void* value = nullptr;
    return index < 0 || value_(index, &value, nullptr, nullptr) != 0 ? nullptr : value;
  }

  Find find_ = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "mca_base_var_find"));
  Value value_ = reinterpret_cast<Value>(dlsym(RTLD_DEFAULT, "mca_base_var_get_value"));
};

// Components that precede tuned on some machines, if their priority is higher.
constexpr const char* others[] = {"adapt", "acoll", "basic", "fca",      "hcoll", "ml",
                                  "sm",    "ucc",   "spacc", "portals4", "xhc"};

// Those that let a network, or a library that may use one, serve collectives.
constexpr const char* of_networks[] = {"fca", "hcoll", "ucc", "spacc", "portals4"};

bool is_tuned_alone(bool one_per_node) {
  const Variables variables;
  if (!variables.are_readable()) return false;
  const int own = variables.number("tuned", "priority", 0);
  const auto precedes = [&](const char* component) {
    // The components for accelerators also have a switch, which is a number.
    return variables.number(component, "enable", 1) != 0 &&
           variables.number(component, "priority", -1) >= own;
  };
  for (const char* const other : others)
    if (precedes(other)) return false;
  return own > 0 && (one_per_node || !precedes("han")) && variables.selection().empty() &&
         !variables.is_on("tuned", "use_dynamic_rules", true);
}

}  // namespace

bool open_mpi::follows_known_rules(bool one_per_node) {
  static const bool alone[] = {is_tuned_alone(false), is_tuned_alone(true)};
  return alone[one_per_node ? 1 : 0];
}

bool open_mpi::has_network_functions() {
  const Variables variables;
  return !variables.are_readable() || std::ranges::any_of(of_networks, [&](const char* component) {
    return variables.number(component, "enable", 1) != 0 &&
           variables.number(component, "priority", -1) >= 0;
  });
}

}  // namespace toccata
