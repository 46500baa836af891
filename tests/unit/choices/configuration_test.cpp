#include "choices/configuration.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choices/old_settings.h"
#include "topology/environment.h"

namespace toccata {
namespace {

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

const std::vector<std::string> no_files;

TEST(Configuration, FirstTheEnvironmentThenTheFirstFile) {
  const std::string user = file("user.conf", "TOCCATA_REPORT=2\n");
  const std::string site = file("site.conf", "TOCCATA_REPORT = 3\n# note\n\n TOCCATA=learn \n");
  const Configuration both({user, site}, {"TOCCATA_SUMS=all", "TOCCATA_XYZXYZXYZ=1"});
  EXPECT_EQ(both.value("TOCCATA_SUMS"), "all");
  EXPECT_EQ(both.origin("TOCCATA_SUMS"), "the environment");
  EXPECT_EQ(both.value("TOCCATA_REPORT"), "2");
  EXPECT_EQ(both.origin("TOCCATA_REPORT"), user);
  EXPECT_EQ(both.value("TOCCATA"), "learn");
  EXPECT_EQ(both.value("TOCCATA_TUNING"), "");
  EXPECT_EQ(both.names(), (std::vector<std::string>{"TOCCATA", "TOCCATA_REPORT", "TOCCATA_SUMS"}));
  EXPECT_EQ(both.files().size(), 2u);
  EXPECT_EQ(both.complaints(),
            std::vector<std::string>{"unknown setting TOCCATA_XYZXYZXYZ; see docs/settings.md"});
}

TEST(Configuration, ReadsTheEnvironmentOfThisProcess) {
  setenv("TOCCATA_SUMS", "learn", 1);
  EXPECT_EQ(Configuration(no_files).value("TOCCATA_SUMS"), "learn");
  unsetenv("TOCCATA_SUMS");
  EXPECT_EQ(Configuration(no_files).value("TOCCATA_SUMS"), "");
}

// What is set in the environment, and TOCCATA, TOCCATA_SUMS, TOCCATA_TUNING and TOCCATA_TOPOLOGY
// then.
TEST(Configuration, OldSettingsAreReplaced) {
  struct Case {
    std::vector<std::string> old;
    std::string mode, sums, tuning, topology;
  };
  for (const Case& each : {
           Case{{"TOCCATA_GUARD=off"}, "model", "", "", ""},
           Case{{"TOCCATA_GUARD=0"}, "model", "", "", ""},
           Case{{"TOCCATA_GUARD=on"}, "", "", "", ""},
           Case{{"TOCCATA_GUARD=all"}, "", "all", "", ""},
           Case{{"TOCCATA_GUARD=off", "TOCCATA=auto"}, "auto", "", "", ""},
           Case{{"TOCCATA_LEARN=auto", "TOCCATA_GUARD=all"}, "learn", "all", "", ""},
           Case{{"TOCCATA_LEARN=1", "TOCCATA_GUARD=on"}, "learn", "", "", ""},
           Case{{"TOCCATA_LEARN=sums"}, "learn", "learn", "", ""},
           Case{{"TOCCATA_LEARN=a.json"}, "learn:a.json", "learn", "", ""},
           Case{{"TOCCATA_LEARN=off"}, "", "", "", ""},
           Case{{"TOCCATA_REPRODUCIBLE=yes"}, "", "reproducible", "", ""},
           Case{{"TOCCATA_REPRODUCIBLE=0"}, "", "", "", ""},
           Case{{"TOCCATA_MODEL=m.json"}, "", "", "m.json", ""},
           Case{{"TOCCATA_MODEL=m.json", "TOCCATA_TUNING=t.json"}, "", "", "t.json,m.json", ""},
           Case{{"TOCCATA_PLACEMENT=0,2", "TOCCATA_REORDER=auto", "TOCCATA_REORDER_TOPOLOGIES=1",
                 "TOCCATA_TOPOLOGY=node:4 core:2"},
                "",
                "",
                "",
                "node:4 core:2 placement:0,2 reorder:auto reorder:topologies"},
       }) {
    const Configuration now(no_files, each.old);
    EXPECT_EQ(now.value("TOCCATA"), each.mode) << each.old.front();
    EXPECT_EQ(now.value("TOCCATA_SUMS"), each.sums) << each.old.front();
    EXPECT_EQ(now.value("TOCCATA_TUNING"), each.tuning) << each.old.front();
    EXPECT_EQ(now.value("TOCCATA_TOPOLOGY"), each.topology) << each.old.front();
    for (const OldSetting& row : old_settings()) EXPECT_EQ(now.value(row.name), "");
  }
}

TEST(Configuration, EachOldSettingIsNamedOnce) {
  const Configuration now(no_files, {"TOCCATA_LEARN=sums", "TOCCATA_GUARD=on",
                                     "TOCCATA_REPRODUCIBLE=maybe", "TOCCATA_MODEL="});
  const std::string no_more = "; the next version will not accept ";
  EXPECT_EQ(now.complaints(), (std::vector<std::string>{
                                  "TOCCATA_GUARD=on is now the default" + no_more + "TOCCATA_GUARD",
                                  "TOCCATA_REPRODUCIBLE=maybe: expected 1, 0. Ignoring it.",
                                  "TOCCATA_LEARN=sums is now TOCCATA=learn and TOCCATA_SUMS=learn" +
                                      no_more + "TOCCATA_LEARN"}));
}

TEST(Configuration, AnOldSettingOfTheEnvironmentComesBeforeANewOneOfAFile) {
  const std::string site = file("new.conf", "TOCCATA=learn\nTOCCATA_TOPOLOGY=node:2\n");
  const Configuration now({site}, {"TOCCATA_GUARD=off", "TOCCATA_REORDER=auto"});
  EXPECT_EQ(now.value("TOCCATA"), "model");
  EXPECT_EQ(now.origin("TOCCATA"), "the environment");
  EXPECT_EQ(now.value("TOCCATA_TOPOLOGY"), "node:2 reorder:auto");
  const std::string old = file("old.conf", "TOCCATA_GUARD=off\n");
  EXPECT_EQ(Configuration({old}, {"TOCCATA=learn"}).value("TOCCATA"), "learn");
}

TEST(Configuration, NamesLinesThatSayNothing) {
  const std::string wrong = file("wrong.conf", "TOCCATA_REPORT=1\nreport\nTOCCATA_SUM=all\n");
  const Configuration configuration({wrong, testing::TempDir() + "none.conf"});
  ASSERT_EQ(configuration.complaints().size(), 2u);
  EXPECT_EQ(
      configuration.complaints()[0],
      wrong + ":2: 'report' is not a setting; lines are NAME=value, such as TOCCATA_REPORT=1");
  EXPECT_EQ(configuration.complaints()[1],
            wrong + ":3: unknown setting TOCCATA_SUM; did you mean TOCCATA_SUMS?");
  EXPECT_EQ(configuration.files(), std::vector<std::string>{wrong});
}

TEST(Configuration, OfAPipeOrADeviceNothingIsRead) {
  const Configuration configuration({"/dev/full", testing::TempDir()});
  ASSERT_EQ(configuration.complaints().size(), 2u);
  EXPECT_EQ(configuration.complaints()[0],
            "/dev/full: is a device; give a file. Ignoring the file.");
  EXPECT_EQ(configuration.complaints()[1],
            testing::TempDir() + ": is a folder; give a file. Ignoring the file.");
  EXPECT_TRUE(configuration.files().empty());
}

TEST(Configuration, FilesOfTheUserAndOfTheInstallation) {
  setenv("XDG_CONFIG_HOME", "/home/me/.config", 1);
  const auto files = configuration_files("/opt/toccata/lib/toccata/openmpi/libtoccata.so");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(files, (std::vector<std::string>{"/home/me/.config/toccata/toccata.conf",
                                             "/opt/toccata/etc/toccata.conf"}));
  setenv("XDG_DATA_HOME", "/home/me/data", 1);
  const auto folders = tuning_folders("/opt/toccata/lib/toccata/openmpi/libtoccata.so");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(folders, (std::vector<std::string>{"/home/me/data/toccata/tuning",
                                               "/opt/toccata/share/toccata/tuning"}));
  EXPECT_EQ(configuration_files("/usr/lib/x86_64-linux-gnu/toccata/mpich/libtoccata.so").back(),
            "/etc/toccata.conf");
}

TEST(Configuration, NothingIsInTheCurrentDirectory) {
  for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) setenv(variable, ".", 1);
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", "somewhere", 1);
  EXPECT_TRUE(configuration_files("").empty());
  EXPECT_TRUE(tuning_folders("").empty());
  setenv("HOME", home.c_str(), 1);
  for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) unsetenv(variable);
}

constexpr int has_no_rights = 77;

// The next test runs this program as another user, with the rights of root.
TEST(Configuration, DISABLED_OfASetuidProgram) {
  if (!has_borrowed_rights()) std::_Exit(has_no_rights);
  const bool nothing = Configuration(no_files).value("TOCCATA_ALLGATHER").empty() &&
                       Configuration(no_files).origin("TOCCATA_ALLGATHER").empty() &&
                       configuration_files("/opt/toccata/lib/libtoccata.so").empty() &&
                       tuning_folders("/opt/toccata/lib/libtoccata.so").empty();
  std::_Exit(nothing ? 0 : 1);
}

TEST(Configuration, ASetuidProgramReadsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "requires the rights of root";
  const std::string program = testing::TempDir() + "toccata_setuid";
  std::filesystem::copy_file("/proc/self/exe", program,
                             std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("TOCCATA_ALLGATHER", "ring", 1);
    if (setuid(65534) == 0)
      execl(program.c_str(), program.c_str(), "--gtest_also_run_disabled_tests",
            "--gtest_filter=Configuration.DISABLED_OfASetuidProgram", nullptr);
    std::_Exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  std::filesystem::remove(program);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == has_no_rights)
    GTEST_SKIP() << "this file system does not support setuid";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace toccata
