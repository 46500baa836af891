#include "topology/file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology/error.h"
#include "topology/readers.h"

namespace toccata {
namespace {

class File : public testing::Test {
 protected:
  File() { std::filesystem::create_directories(folder); }
  ~File() override { std::filesystem::remove_all(folder); }

  std::string complaint(const std::string& name) {
    try {
      read_regular_file(name, 1 << 20);
    } catch (const FileError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(name + ": ")) << error.what();
      return std::string(error.what()).substr(name.size() + 2);
    }
    return "";
  }

  const std::string folder = testing::TempDir() + "toccata_file_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path = folder + "/file";
};

TEST_F(File, IsReadWhole) {
  std::ofstream(path) << "";
  EXPECT_EQ(read_regular_file(path, 10), "");
  const std::string text(200'000, 'x');
  std::ofstream(path) << text << '\n';
  EXPECT_EQ(read_regular_file(path, 1 << 20), text + "\n");
  EXPECT_FALSE(read_regular_file("/proc/self/status", 1 << 20).empty());  // reports size 0
}

TEST_F(File, OfOtherKindsAreRefusedWithoutWaiting) {
  EXPECT_EQ(complaint(folder), "is a folder; give a file");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(complaint(path), "is a pipe; give a file");
  EXPECT_EQ(complaint("/dev/full"), "is a device; give a file");
  EXPECT_EQ(complaint("/dev/zero"), "is a device; give a file");
  EXPECT_EQ(complaint(folder + "/none"), "cannot be read: there is no such file; check the path");
  EXPECT_NE(complaint("/dev/null/none").find("cannot be read: "), std::string::npos);
}

TEST_F(File, OfImplausibleSizeIsNotRead) {
  std::ofstream(path) << "";
  std::filesystem::resize_file(path, 300 << 20);  // without a byte on the disk
  EXPECT_EQ(complaint(path), "has 300 MiB; files of up to 1 MiB are read");
}

TEST_F(File, ThatIsAMachineMustBeOne) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(read_machine(path), TopologyError);
  EXPECT_THROW(read_machine("/dev/full"), TopologyError);
}

TEST_F(File, IsTriedBeforeItIsWritten) {
  std::ofstream(path) << "kept";
  EXPECT_EQ(why_not_writable(path, false), "");
  EXPECT_EQ(read_regular_file(path, 10), "kept");
  const std::string deep = folder + "/a/b/file";
  EXPECT_EQ(why_not_writable(deep, false), deep + ": cannot be written: its folder does not exist");
  EXPECT_EQ(why_not_writable(deep, true), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/a/b"));
  EXPECT_EQ(why_not_writable(path + "/file", true),
            path + "/file: cannot be written: Not a directory");
  EXPECT_EQ(why_not_writable(folder, false), folder + ": is a folder; give a file");
  EXPECT_EQ(why_not_writable("/dev/full", false), "/dev/full: is a device; give a file");
}

// As on a full disk: the file can be created, but not written.
TEST_F(File, IsTriedWithSomeBytes) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::string why = why_not_writable(path, false);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(why, path + ": cannot be written: File too large");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(File, IsReplacedWithItsPermissions) {
  replace_file(path, "one");
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  replace_file(path, "two");
  EXPECT_EQ(read_regular_file(path, 10), "two");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_THROW(replace_file(folder + "/none/file", ""), FileError);
}

// In a folder that all users may write to, another user could have created the link.
TEST_F(File, ThatIsALinkIsNotWrittenThrough) {
  std::ofstream(folder + "/other") << "kept";
  std::filesystem::create_symlink(folder + "/other", path);
  replace_file(path, "new");
  EXPECT_EQ(read_regular_file(folder + "/other", 10), "kept");
  EXPECT_EQ(read_regular_file(path, 10), "new");
}

TEST_F(File, LosesNoChangeOfSeveralProcesses) {
  constexpr int processes = 4, changes = 100;
  for (int process = 0; process < processes; ++process) {
    if (fork() != 0) continue;
    try {
      for (int i = 0; i < changes; ++i)
        update_file(path, 1 << 20,
                    [](const std::string* text) { return (text ? *text : "") + "x"; });
    } catch (const FileError&) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  for (int process = 0; process < processes; ++process) {
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_regular_file(path, 1 << 20), std::string(processes * changes, 'x'));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1)
      << "no temporary file remains";
}

TEST_F(File, ThatCannotBeUnderstoodStaysAsItIs) {
  std::ofstream(path) << "thesis";
  EXPECT_THROW(
      update_file(path, 1 << 20, [](const std::string*) -> std::string { throw FileError("no"); }),
      FileError);
  EXPECT_EQ(read_regular_file(path, 10), "thesis");
}

}  // namespace
}  // namespace toccata
