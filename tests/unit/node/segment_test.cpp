#include "node/segment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support.h"

namespace toccata::node {
namespace {

// The limit of the sizes of this process's files, for as long as this object exists.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

// Beyond the limit, the system would end the process by a signal.
TEST(Segment, ObeysTheLimitOfFiles) {
  {
    const FileLimit limit(64 << 10);
    Segment none;
    EXPECT_EQ(none.create(8, 16, 1), "");
    EXPECT_FALSE(none.is_open());
  }
  Segment some;
  EXPECT_NE(some.create(8, 16, 1), "");
  const FileLimit limit(64 << 10);
  EXPECT_EQ(some.reserve(7, 15, Part::usual), nullptr);
}

TEST(Segment, GivesPartsWithinTheLimit) {
  const FileLimit limit(64 << 20);
  Segment some;
  EXPECT_NE(some.create(8, 16, 1), "");
  EXPECT_NE(some.reserve(7, 15, Part::usual), nullptr);
}

}  // namespace
}  // namespace toccata::node
