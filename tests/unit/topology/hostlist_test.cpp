#include "topology/hostlist.h"

#include "support.h"
#include "topology/error.h"

namespace toccata {
namespace {

using Hosts = std::vector<std::string>;

TEST(HostList, IsExpanded) {
  EXPECT_EQ(expand_hosts("a"), (Hosts{"a"}));
  EXPECT_EQ(expand_hosts("n[001-003,20],login"), (Hosts{"n001", "n002", "n003", "n20", "login"}));
  EXPECT_EQ(expand_hosts("n[9-11]"), (Hosts{"n9", "n10", "n11"}));
  EXPECT_EQ(expand_hosts("r[1-2]n[1-2]-ib"), (Hosts{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
  EXPECT_EQ(expand_hosts("n[2147483646-2147483647]").size(), 2u) << "the loop ends at INT_MAX";
}

TEST(HostList, IsFolded) {
  for (const char* each : {"a", "n[001-003,020],login", "n[9-11]", "a1,b1,a2", "n[1-2,4],m[1-2],x",
                           "n[1,01]", "r1n[1-2],r2n[1-2]", "n12345678901"})
    EXPECT_EQ(fold_hosts(expand_hosts(each)), each);
  EXPECT_EQ(fold_hosts(Hosts{"n099", "n100", "n101"}), "n[099-101]");
}

TEST(HostList, IsRefused) {
  for (const char* each :
       {"", "a,,b", "n[1-", "n]1[", "n[2-1]", "n[a]", "n[]", "n[1,]", "n[0-99999999]"})
    EXPECT_THROW(expand_hosts(each), TopologyError) << each;
}

}  // namespace
}  // namespace toccata
