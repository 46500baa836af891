#include "choices/mpi_libraries.h"

#include <gtest/gtest.h>

#include "choices/shipped_rules.h"

namespace toccata {
namespace {

struct Case {
  std::string_view text, name, family;
  bool tested;
};

// Version texts of these libraries, from published output.
TEST(MpiLibraries, AreKnownByWhatTheySay) {
  for (const auto& [text, name, family, tested] : {
           Case{"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI", "openmpi",
                true},
           Case{"Open MPI v5.0.8, package: Open MPI", "Open MPI", "openmpi", true},
           Case{"Open MPI v5.1.0a1, package: Open MPI", "Open MPI", "openmpi", false},
           Case{"Open MPI v4.10.0, package: Open MPI", "Open MPI", "openmpi", false},
           Case{"Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0",
                "IBM Spectrum MPI", "openmpi", false},
           Case{"FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", "Fujitsu MPI", "openmpi", false},
           Case{"MPICH Version:\t4.0.2\nMPICH Release date:", "MPICH", "mpich", true},
           Case{"MPICH Version:      5.0.0", "MPICH", "mpich", true},
           Case{"MPICH Version:\t3.4.2\n", "MPICH", "mpich", false},
           Case{"MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n", "Cray MPICH",
                "mpich", false},
           Case{"MVAPICH2 Version      :\t2.3.6\n", "MVAPICH2", "mpich", false},
           Case{"Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI", "mpich", true},
           Case{"Intel(R) MPI Library 2019 Update 4 for Linux* OS\n", "Intel MPI", "mpich", false},
           Case{"HPE MPT 2.23  08/26/20 02:54:49-root", "HPE MPT", "", false},
           Case{"HPE HMPT 2.23  08/26/20 02:59:48-root", "HPE HMPT", "mpich", false},
           Case{"MPIwrapper Version:\t2.2.2\n", "MPItrampoline", "", false},
       }) {
    const MpiLibrary* const found = mpi_library_of(text);
    ASSERT_NE(found, nullptr) << text;
    EXPECT_EQ(found->name, name) << text;
    EXPECT_EQ(found->family, family) << text;
    EXPECT_EQ(is_tested(text), tested) << text;
  }
}

TEST(MpiLibraries, HaveVersions) {
  EXPECT_EQ(version_of("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), 401);
  EXPECT_EQ(version_of("Open MPI v5.0.11"), 500);
  EXPECT_EQ(version_of("Open MPI v6.1.0a1"), 601);
  EXPECT_EQ(version_of("MPICH Version:      5.0.2\nMPICH Release date: 2026"), 500);
  EXPECT_EQ(version_of("Open MPI v7"), 700);
  EXPECT_EQ(version_of("Open MPI v1000000000.1"), 9901);
  EXPECT_EQ(version_of("Open MPI v99999999999999999999.1"), 1) << "not a number";
  EXPECT_EQ(version_of("Open MPI v"), 0);
  EXPECT_EQ(version_of("Odd MPI 1.0"), 0);
}

TEST(MpiLibraries, HaveTheRulesOfTheOneThatWasMeasured) {
  const auto rules_of = [](std::string_view text) { return mpi_library_of(text)->rules; };
  EXPECT_EQ(rules_of("Open MPI v5.0.8"), shipped_rules("open_mpi"));
  EXPECT_EQ(rules_of("FUJITSU MPI Library 4.0.0"), shipped_rules("open_mpi"));
  EXPECT_EQ(rules_of("Intel(R) MPI Library 2021.18 for Linux* OS"), shipped_rules("intel_mpi"));
  EXPECT_EQ(rules_of("MPI VERSION    : CRAY MPICH version 8.1.25.17"), shipped_rules("mpich"));
  EXPECT_EQ(rules_of("HPE MPT 2.23  08/26/20 02:54:49-root"), &rules_for_any_mpi());
}

TEST(MpiLibraries, OfVendorsAreNotPredictable) {
  EXPECT_TRUE(mpi_library_of("Open MPI v5.0.8")->is_predictable);
  EXPECT_TRUE(mpi_library_of("MPICH Version:\t4.0.2")->is_predictable);
  for (const auto* vendor :
       {"FUJITSU MPI Library 4.0.0", "Intel(R) MPI Library 2021.18 for Linux* OS",
        "MPI VERSION    : CRAY MPICH version 8.1.25.17"})
    EXPECT_FALSE(mpi_library_of(vendor)->is_predictable) << vendor;
}

TEST(MpiLibraries, OthersAreUnknown) {
  EXPECT_EQ(mpi_library_of("Some Other MPI 1.0"), nullptr);
  EXPECT_EQ(mpi_library_of(""), nullptr);
  EXPECT_FALSE(is_tested("Some Other MPI 1.0"));
  EXPECT_FALSE(is_tested("Open MPI v"));
}

}  // namespace
}  // namespace toccata
