#include "imports.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace toccata {

namespace {

// Whether a relocation of this kind writes the address of a function into a word. Covers the
// processors that MPI runs on.
bool is_address(std::uint32_t kind) {
#if defined(__x86_64__)
  return kind == R_X86_64_JUMP_SLOT || kind == R_X86_64_GLOB_DAT || kind == R_X86_64_64;
#elif defined(__aarch64__)
  return kind == R_AARCH64_JUMP_SLOT || kind == R_AARCH64_GLOB_DAT || kind == R_AARCH64_ABS64;
#elif defined(__powerpc64__)
  return kind == R_PPC64_JMP_SLOT || kind == R_PPC64_GLOB_DAT || kind == R_PPC64_ADDR64;
#elif defined(__riscv)
  return kind == R_RISCV_JUMP_SLOT || kind == R_RISCV_64;
#else
#error "toccata.mpi: add the relocations of this processor"
#endif
}

// The parts of a library's dynamic section that we read.
struct Dynamic {
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of functions (the PLT), and all others
  std::size_t sizes[2] = {};          // in bytes
};

Dynamic dynamic_of(const link_map& library) {
  Dynamic found;
  // glibc has already added the load address to these pointers; other loaders have not.
  const auto address = [&](ElfW(Addr) at) {
    return reinterpret_cast<const void*>(at < library.l_addr ? at + library.l_addr : at);
  };
  for (const ElfW(Dyn)* each = library.l_ld; each->d_tag != DT_NULL; ++each) {
    const ElfW(Addr) value = each->d_un.d_ptr;
    switch (each->d_tag) {
      case DT_STRTAB:
        found.names = static_cast<const char*>(address(value));
        break;
      case DT_SYMTAB:
        found.symbols = static_cast<const ElfW(Sym)*>(address(value));
        break;
      case DT_JMPREL:
        found.tables[0] = static_cast<const ElfW(Rela)*>(address(value));
        break;
      case DT_PLTRELSZ:
        found.sizes[0] = each->d_un.d_val;
        break;
      case DT_RELA:
        found.tables[1] = static_cast<const ElfW(Rela)*>(address(value));
        break;
      case DT_RELASZ:
        found.sizes[1] = each->d_un.d_val;
        break;
    }
  }
  return found;
}

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

// Whether the loader has made an address of this library read-only (RELRO). It does so for whole
// pages.
bool is_protected(const link_map& library, std::uintptr_t address) {
  struct Question {
    const link_map& library;
    std::uintptr_t address;
  } question{library, address};
  const auto look = [](dl_phdr_info* info, std::size_t, void* asked) {
    const auto& [which, at] = *static_cast<Question*>(asked);
    if (info->dlpi_addr != which.l_addr) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info->dlpi_phdr[i];
      const std::uintptr_t start = info->dlpi_addr + part.p_vaddr;
      const std::uintptr_t end = (start + part.p_memsz) & ~(page_size() - 1);
      if (part.p_type == PT_GNU_RELRO && at >= start && at < end) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(look, &question) != 0;
}

// Another thread may call through the slot at the same time, so the word is written atomically.
void write(const link_map& library, void** slot, void* value) {
  const auto address = reinterpret_cast<std::uintptr_t>(slot);
  void* const start = reinterpret_cast<void*>(address & ~(page_size() - 1));
  const bool read_only = is_protected(library, address);
  if (read_only && mprotect(start, page_size(), PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error(std::string("the functions that mpi4py calls cannot be redirected: ") +
                             std::strerror(errno));
  std::atomic_ref<void*>(*slot).store(value, std::memory_order_release);
  if (read_only) mprotect(start, page_size(), PROT_READ);
}

}  // namespace

void redirect_imports(void* handle, const std::function<void*(const char* name)>& replacement) {
  link_map* library = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &library) != 0) throw std::runtime_error(dlerror());
  const Dynamic dynamic = dynamic_of(*library);
  for (int table = 0; table < 2; ++table) {
    const std::size_t count = dynamic.sizes[table] / sizeof(ElfW(Rela));
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Rela)& each = dynamic.tables[table][i];
      if (!is_address(static_cast<std::uint32_t>(ELF64_R_TYPE(each.r_info)))) continue;
      const ElfW(Sym)& symbol = dynamic.symbols[ELF64_R_SYM(each.r_info)];
      auto* const slot = reinterpret_cast<void**>(library->l_addr + each.r_offset);
      if (symbol.st_shndx != SHN_UNDEF || *slot == nullptr) continue;
      if (void* const value = replacement(dynamic.names + symbol.st_name); value != nullptr)
        write(*library, slot, value);
    }
  }
}

}  // namespace toccata
