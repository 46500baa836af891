#include "calls.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "imports.h"

namespace toccata {

namespace {

// An argument of any MPI: an address, a count, or a handle, which is an int or a pointer. This file
// passes arguments on unchanged, so it needs no mpi.h. On every 64-bit Linux, each of the first six
// or eight integer arguments has a register, and each other one has eight bytes on the stack.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8);
template <std::size_t>
using Each = Word;

// Whether an argument is an array with one count or displacement per rank, on all ranks.
constexpr bool is_array_of_ranks(int function, std::size_t at) {
  const std::string_view name = function_names[function].blocking;
  return (name == "Allgatherv" && (at == 4 || at == 5)) || (name == "Reduce_scatter" && at == 2);
}

}  // namespace

// A function that mpi4py may call: MPI_Allgather, MPI_Iallgather, MPI_Allgather_c and so on.
struct Slots {
  static constexpr int kinds = 4;  // bit 0: nonblocking, bit 1: large counts
  static constexpr int count = function_count * kinds;

  struct Library {
    std::array<void*, count> mpi;
    std::array<void*, count> toccata;
    std::array<void*, count> persistent;
    void* comm_size;
    Word info_null;
    bool preloaded;
    Requests requests;
  };
  static inline Library library;  // written once, by connect()
  static inline thread_local Named* named = nullptr;

  // The named call to which this call of mpi4py belongs; null if there is none.
  static Named* take(int slot) {
    Named* const found = named;
    if (found == nullptr || found->served_ || found->function_ != slot / kinds) return nullptr;
    if ((found->way_ != Way::blocking) != ((slot & 1) != 0)) return nullptr;
    found->served_ = true;
    return found;
  }

  // In two functions, mpi4py frees the arrays of counts when the nonblocking call returns, so they
  // are copied. [mpi4py 4.1.2, Comm.Iallgatherv and Comm.Ireduce_scatter]
  template <int slot, std::size_t at>
  static void keep_array(Named& named, Word& argument, Word comm) {
    if constexpr (is_array_of_ranks(slot / kinds, at)) {
      int ranks = 0;
      reinterpret_cast<int (*)(Word, int*)>(library.comm_size)(comm, &ranks);
      const std::size_t bytes =
          static_cast<std::size_t>(ranks) * ((slot & 2) != 0 ? 8 : sizeof(int));
      auto copy = std::make_unique<char[]>(bytes);
      std::memcpy(copy.get(), reinterpret_cast<const void*>(argument), bytes);
      argument = reinterpret_cast<Word>(copy.get());
      named.arrays_.push_back(std::move(copy));
    }
  }

  template <int slot, std::size_t... at>
  static int blocking(Each<at>... argument) {
    const Named* const found = take(slot);
    if (found == nullptr || (!library.preloaded && is_native(found->algorithm_)))
      return reinterpret_cast<int (*)(Each<at>...)>(library.mpi[slot])(argument...);
    return reinterpret_cast<int (*)(Each<at>..., const char*)>(library.toccata[slot])(
        argument..., found->algorithm_);
  }

  // Whether the native algorithm is requested. Without a preloaded library, mpi4py's own call then
  // serves.
  static bool is_native(const char* algorithm) {
    return algorithm != nullptr && std::strcmp(algorithm, "native") == 0;
  }

  // mpi4py's own request keeps its initial value, MPI_REQUEST_NULL.
  template <int slot, std::size_t... at>
  static int nonblocking(Each<at>... argument, Word mpi_request) {
    Named* const found = take(slot);
    if (found == nullptr)
      return reinterpret_cast<int (*)(Each<at>..., Word)>(library.mpi[slot])(argument...,
                                                                             mpi_request);
    (keep_array<slot, at>(*found, argument, std::get<sizeof...(at) - 1>(std::tie(argument...))),
     ...);
    if (found->way_ == Way::nonblocking)
      return reinterpret_cast<int (*)(Each<at>..., const char*, toccata_request*)>(
          library.toccata[slot])(argument..., found->algorithm_, &found->request_);
    return reinterpret_cast<int (*)(Each<at>..., Word, const char*, toccata_request*)>(
        library.persistent[slot])(argument..., library.info_null, found->algorithm_,
                                  &found->request_);
  }
};

namespace {

template <int slot, std::size_t... at>
void* trampoline(std::index_sequence<at...>) {
  if constexpr ((slot & 1) == 0)
    return reinterpret_cast<void*>(&Slots::blocking<slot, at...>);
  else
    return reinterpret_cast<void*>(&Slots::nonblocking<slot, at...>);
}
template <int... slot>
std::array<void*, sizeof...(slot)> trampolines(std::integer_sequence<int, slot...>) {
  return {
      trampoline<slot>(std::make_index_sequence<function_names[slot / Slots::kinds].arity>())...};
}

void* open(const std::string& file) {
  void* const found = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr) throw std::runtime_error(dlerror());
  return found;
}

template <typename Signature>
void find(void* library, const char* name, Signature*& function) {
  function = reinterpret_cast<Signature*>(dlsym(library, name));
  if (function == nullptr)
    throw std::runtime_error(std::string("the library of Toccata has no function '") + name +
                             "'; preload the one of this version, or none");
}

}  // namespace

Named::Named(int function, Way way, const char* algorithm)
    : function_(function), way_(way), algorithm_(algorithm), before_(Slots::named) {
  Slots::named = this;
}
Named::~Named() { Slots::named = before_; }

const Requests& requests() { return Slots::library.requests; }

std::string mpi_library_file(const std::string& mpi4py) {
  void* const module = dlopen(mpi4py.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = module != nullptr ? dlsym(module, "MPI_Get_library_version") : nullptr;
  Dl_info found;
  return function != nullptr && dladdr(function, &found) != 0 ? found.dli_fname : "";
}

bool is_preloaded() { return dlsym(RTLD_DEFAULT, "toccata_version") != nullptr; }

void connect(const std::string& mpi4py, const std::string& library, unsigned long info_null) {
  void* const caller = open(mpi4py);
  Slots::Library& all = Slots::library;
  all.preloaded = is_preloaded();
  void* const ours = all.preloaded ? RTLD_DEFAULT : open(library);
  Requests& requests = all.requests;
  find(ours, "toccata_start", requests.start);
  find(ours, "toccata_run", requests.run);
  find(ours, "toccata_wait", requests.wait);
  find(ours, "toccata_test", requests.test);
  find(ours, "toccata_waitall_codes", requests.waitall);
  find(ours, "toccata_testall", requests.testall);
  find(ours, "toccata_waitany", requests.waitany);
  find(ours, "toccata_testany", requests.testany);
  find(ours, "toccata_request_free", requests.free);
  // The function that the loader would find for mpi4py: that of a preloaded tool, otherwise that of
  // the MPI library.
  const auto of_mpi = [&](const std::string& name) {
    void* const global = dlsym(RTLD_DEFAULT, name.c_str());
    return global != nullptr ? global : dlsym(caller, name.c_str());
  };
  all.info_null = info_null;
  all.comm_size = of_mpi("MPI_Comm_size");
  requests.finalized = reinterpret_cast<int (*)(int*)>(of_mpi("MPI_Finalized"));

  std::array<std::string, Slots::count> names;
  for (int slot = 0; slot < Slots::count; ++slot) {
    const bool nonblocking = (slot & 1) != 0;
    const FunctionNames& function = function_names[slot / Slots::kinds];
    const std::string suffix = (slot & 2) != 0 ? "_c" : "";
    const std::string own = function.fortran;
    names[slot] =
        std::string("MPI_") + (nonblocking ? function.nonblocking : function.blocking) + suffix;
    all.mpi[slot] = of_mpi(names[slot]);
    all.toccata[slot] =
        dlsym(ours, ("toccata_" + std::string(nonblocking ? "i" : "") + own + suffix).c_str());
    all.persistent[slot] = dlsym(ours, ("toccata_" + own + "_init" + suffix).c_str());
  }
  static const std::array<void*, Slots::count> answers =
      trampolines(std::make_integer_sequence<int, Slots::count>());
  redirect_imports(caller, [&](const char* name) -> void* {
    if (!std::string_view(name).starts_with("MPI_")) return nullptr;
    for (int slot = 0; slot < Slots::count; ++slot)
      if (names[slot] == name && all.mpi[slot] != nullptr && all.toccata[slot] != nullptr)
        return answers[slot];
    return nullptr;
  });
}

}  // namespace toccata
