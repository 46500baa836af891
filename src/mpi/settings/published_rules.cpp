#include "mpi/settings/published_rules.h"

#include <mpi.h>

#include <optional>
#include <string>

#include "mpi/settings/family.h"
#include "selection/mpi_libraries.h"

namespace toccata {

#if defined(OPEN_MPI)

namespace {

// Access to the variables of the MPI library, while it exists.
class Variables {
 public:
  Variables() {
    int provided = 0;
    is_open_ = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  }
  ~Variables() {
    if (is_open_) MPI_T_finalize();
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  bool is_open() const { return is_open_; }

  // The value of a number or switch; nothing if there is no such variable.
  std::optional<int> number(const char* name) const {
    const Handle handle(name);
    int value = 0;
    if (handle.count != 1 || MPI_T_cvar_read(handle.of, &value) != MPI_SUCCESS) return {};
    return value;
  }

  // The same for a text.
  std::optional<std::string> text(const char* name) const {
    const Handle handle(name);
    if (handle.count < 1) return {};
    std::string value(static_cast<std::size_t>(handle.count) + 1, '\0');
    if (MPI_T_cvar_read(handle.of, value.data()) != MPI_SUCCESS) return {};
    return value.c_str();
  }

 private:
  struct Handle {
    explicit Handle(const char* name) {
      int index = 0;
      if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return;
      if (MPI_T_cvar_handle_alloc(index, nullptr, &of, &count) != MPI_SUCCESS) count = 0;
    }
    ~Handle() {
      if (count > 0) MPI_T_cvar_handle_free(&of);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    MPI_T_cvar_handle of = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
  };

  bool is_open_ = false;
};

// Components that precede tuned on some machines, if their priority is higher. The accelerators'
// ones also have a switch.
constexpr const char* others[] = {"adapt", "acoll", "fca",      "hcoll", "libnbc", "ml",
                                  "sm",    "ucc",   "portals4", "spacc", "xhc"};

bool is_tuned_alone(bool one_per_node) {
  const Variables variables;
  if (!variables.is_open()) return false;
  const auto priority = [&](const std::string& component) {
    if (variables.number(("coll_" + component + "_enable").c_str()) == 0) return -1;
    return variables.number(("coll_" + component + "_priority").c_str()).value_or(-1);
  };
  const int own = priority("tuned");
  for (const char* const other : others)
    if (priority(other) >= own) return false;
  if (!one_per_node && priority("han") >= own) return false;
  return own > 0 && variables.text("coll").value_or("").empty() &&
         variables.number("coll_tuned_use_dynamic_rules").value_or(1) == 0;
}

}  // namespace

bool uses_published_rules(bool one_per_node) {
  if (predictable_mpi_of(library_text()) != NativeMpi::open_mpi) return false;
  static const bool alone[] = {is_tuned_alone(false), is_tuned_alone(true)};
  return alone[one_per_node ? 1 : 0];
}

#else

bool uses_published_rules(bool) { return false; }

#endif

}  // namespace toccata
