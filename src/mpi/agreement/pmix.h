#pragma once

#include <cstddef>
#include <cstdint>

// The part of PMIx that the roll call needs, as in version 3 and later of the PMIx standard. PMIx
// connects a process with its launcher. Its header is not used, because the library has to build
// and to load where PMIx is absent.
namespace toccata::pmix {

inline constexpr int success = 0;
inline constexpr int not_supported = -47;

inline constexpr std::uint8_t global = 3;  // a scope: all processes of the job may read the value

inline constexpr std::uint16_t boolean = 1;
inline constexpr std::uint16_t string = 3;
inline constexpr std::uint16_t integer = 6;
inline constexpr std::uint16_t unsigned_64 = 15;

struct Value {
  std::uint16_t type = 0;
  union {
    bool flag;
    int number;
    std::uint64_t word;
    char* text;
    std::uint64_t widest[3] = {};
  };
};
static_assert(sizeof(Value) == 32);

inline constexpr std::uint32_t any_rank = UINT32_MAX - 1;  // for values of the whole job

struct Process {
  char job[256] = "";
  std::uint32_t rank = 0;
};
static_assert(sizeof(Process) == 260);

struct Option {
  char key[512] = "";
  std::uint32_t flags = 0;
  Value value;
};
static_assert(sizeof(Option) == 552);

inline constexpr const char* collect_data = "pmix.collect";  // the key of a boolean option
inline constexpr const char* optional = "pmix.optional";     // likewise
inline constexpr const char* timeout = "pmix.timeout";       // of an integer, in seconds
// The ranks of the job on this node, such as "0,1,2,3".
inline constexpr const char* local_peers = "pmix.lpeers";

using Commit = int();
using Put = int(std::uint8_t scope, const char* key, Value* value);
using Get = int(const Process* process, const char* key, const Option* options, std::size_t count,
                Value** value);
using Ended = void(int status, void* data);
using Fence = int(const Process* processes, std::size_t process_count, const Option* options,
                  std::size_t count);
using StartFence = int(const Process* processes, std::size_t process_count, const Option* options,
                       std::size_t count, Ended* ended, void* data);

}  // namespace toccata::pmix
