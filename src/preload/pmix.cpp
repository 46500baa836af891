// Functions of PMIx that the MPI library calls in MPI_Init. Ours pass each call on, and do in
// addition what the roll call needs.

#include <dlfcn.h>
#include <link.h>

#include "mpi/agreement/pmix_answers.h"
#include "mpi/agreement/roll_call.h"
#include "mpi/settings/first_stage.h"
#include "toccata/toccata.h"

using namespace toccata;

extern "C" TOCCATA_PUBLIC int PMIx_Commit();

namespace {

// A handle with which the caller's own PMIx is found. The MPI library may have loaded it privately,
// so it need not be behind us in the loader's order.
void* library_of(void* caller) noexcept {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      map == nullptr || *map->l_name == '\0')
    return RTLD_NEXT;
  void* const library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* const commit = library != nullptr ? dlsym(library, "PMIx_Commit") : nullptr;
  const bool is_other = commit != nullptr && commit != reinterpret_cast<void*>(&PMIx_Commit);
  return is_other ? library : RTLD_NEXT;
}

template <typename Function, typename... Arguments>
int pass_on(void* library, const char* name, Arguments... arguments) {
  auto* const next = reinterpret_cast<Function*>(find_in(library, name));
  return next != nullptr ? next(arguments...) : pmix::not_supported;
}

}  // namespace

int PMIx_Commit() {
  void* const library = library_of(__builtin_return_address(0));
  RollCall::answer_by_pmix(library);
  return pass_on<pmix::Commit>(library, "PMIx_Commit");
}

extern "C" TOCCATA_PUBLIC int PMIx_Put(std::uint8_t scope, const char* key, pmix::Value* value) {
  PmixAnswers::see_put(scope, key);
  return pass_on<pmix::Put>(library_of(__builtin_return_address(0)), "PMIx_Put", scope, key, value);
}

extern "C" TOCCATA_PUBLIC int PMIx_Fence(const pmix::Process* processes, std::size_t process_count,
                                         const pmix::Option* options, std::size_t count) {
  PmixAnswers::see_fence(options, count);
  return pass_on<pmix::Fence>(library_of(__builtin_return_address(0)), "PMIx_Fence", processes,
                              process_count, options, count);
}

extern "C" TOCCATA_PUBLIC int PMIx_Fence_nb(const pmix::Process* processes,
                                            std::size_t process_count, const pmix::Option* options,
                                            std::size_t count, pmix::Ended* ended, void* data) {
  PmixAnswers::see_fence(options, count);
  return pass_on<pmix::StartFence>(library_of(__builtin_return_address(0)), "PMIx_Fence_nb",
                                   processes, process_count, options, count, ended, data);
}
