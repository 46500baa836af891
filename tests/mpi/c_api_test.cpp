#include "support.h"

extern "C" int c99_faults();

TEST(CApi, ServesC99) { EXPECT_EQ(c99_faults(), 0); }
