#include "mpi/settings/network.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace toccata {

namespace {

bool is_filled(const char* folder) {
  std::error_code error;
  const auto first = std::filesystem::directory_iterator(folder, error);
  return !error && first != std::filesystem::directory_iterator();
}

// InfiniBand, Omni-Path, EFA and RoCE; Slingshot; BXI. A Tofu interconnect has no MPI library but
// its vendor's.
constexpr std::array fast_networks = {"/sys/class/infiniband", "/sys/class/cxi", "/sys/class/bxi"};

}  // namespace

bool has_only_ethernet() {
  static const bool only =
      is_filled("/sys/class/net") && std::ranges::none_of(fast_networks, is_filled);
  return only;
}

}  // namespace toccata
