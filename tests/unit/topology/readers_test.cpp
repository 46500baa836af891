#include "topology/readers.h"

#include <fstream>

#include "support.h"
#include "topology/error.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

const std::string data = TOCCATA_SOURCE_DIR "/tests/data/";

std::vector<std::string> labels(const Machine& machine, std::string_view level) {
  return machine.level(machine.find(level)).labels;
}

template <typename Read>
std::string complaint(Read&& read) {
  try {
    read();
  } catch (const TopologyError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  return "";
}

TEST(Slurm, TreeBecomesLevelsOfSwitches) {
  const Machine machine = read_machine(data + "topology-tree.conf");
  EXPECT_EQ(text(machine), "switch3:1 spine:3 leaf:3*2,1 node:10*2,8,10*2,5,3");
  EXPECT_EQ(labels(machine, "switch3"), (std::vector<std::string>{"core1"}));
  EXPECT_EQ(labels(machine, "spine"), (std::vector<std::string>{"spine1", "spine2", "login"}))
      << "a leaf at a higher level than others is its own spine";
  const auto nodes = labels(machine, "node");
  EXPECT_EQ(nodes[0], "cn001");
  EXPECT_EQ(nodes[49], "cn050");
  EXPECT_EQ(nodes.back(), "vis1");
  EXPECT_EQ(machine.label(2, machine.ancestor(3, 55, 2)), "login");
}

TEST(Slurm, BlocksBecomeLevelsOfBlocks) {
  const Machine machine = read_machine(data + "topology-block.conf");
  EXPECT_EQ(text(machine), "block72:2 block36:2,1 block:2*2,1 node:18");
  EXPECT_EQ(labels(machine, "block").front(), "b1");
  EXPECT_EQ(labels(machine, "node").back(), "gb90");
}

TEST(Slurm, FileMayHaveLevelsAddedInside) {
  const Machine machine = read_machine(data + "topology-block.conf socket:2 core:36");
  EXPECT_EQ(machine.objects(machine.innermost()), 90 * 72);
  EXPECT_EQ(labels(machine, "node").size(), 90);
}

TEST(Slurm, MalformedFileIsRefusedWithLineAndReason) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"SwitchName=s1 Nodes=a\nhello", "f:2: 'hello' is not a setting"},
      {"# c\n\nSwitchName=s1 Nodes=n[1-", "f:3: the brackets of 'n[1-' do not match"},
      {"SwitchName=s1", "f:1: switch s1 needs either Nodes= or Switches="},
      {"SwitchName=s1 Nodes=a Switches=s2", "f:1: switch s1 needs either"},
      {"SwitchName=s1 Nodes=a\nSwitchName=s1 Nodes=b", "f:2: switch 's1' occurs twice"},
      {"SwitchName=s1 Nodes=a\nSwitchName=s2 Nodes=a", "f:2: node a is in switch s1 and in switch"},
      {"SwitchName=s1 Nodes=a Nodes=b", "f:1: Nodes is given twice"},
      {"SwitchName=s1 Nodes=", "f:1: 'Nodes=' is not a setting"},
      {"SwitchName=s1 Nodes=a Color=red", "f:1: a switch has Nodes= or Switches="},
      {"SwitchName=s1 Switches=s2",
       "f: switch s1 has a switch s2 below it, but no line has SwitchName=s2"},
      {"SwitchName=a Switches=b\nSwitchName=b Switches=a", "f: switch a is below itself"},
      {"SwitchName=s Nodes=n\nSwitchName=a Switches=s\nSwitchName=b Switches=s",
       "f:3: switch s is below a and below b"},
      {"SwitchName=s \\\n  Nodes=a\nnonsense=1", "f:3: expected a line with SwitchName="},
      {"BlockName=b", "f:1: block b needs Nodes="},
      {"BlockName=b Nodes=a\nBlockSizes=4,6", "f:2: BlockSizes must be a size, then its multiples"},
      {"BlockName=b Nodes=a\nBlockSizes=0", "f:2: '0' is not the size"},
      {"BlockName=b Nodes=a\nSwitchName=s Nodes=c", "f: has both switches and blocks"},
      {"# nothing\n", "f: has no SwitchName="}};
  for (const auto& [contents, why] : wrong) {
    const std::string said = complaint([&] { read_slurm(contents, "f"); });
    EXPECT_TRUE(said.starts_with(why)) << contents << "\n" << said;
  }
}

TEST(Ibnetdiscover, FatTreeBecomesPodsLeavesAndNodes) {
  const Machine machine = read_machine(data + "ibnetdiscover.txt");
  EXPECT_EQ(text(machine), "spine:2 leaf:2 node:3");
  EXPECT_EQ(labels(machine, "leaf"),
            (std::vector<std::string>{"leaf1", "leaf2", "leaf3", "leaf4"}));
  EXPECT_EQ(labels(machine, "node").front(), "cn01");
  EXPECT_EQ(labels(machine, "node").back(), "cn12") << "at the position of its first port";
}

TEST(Ibnetdiscover, OneSwitchIsOneLeaf) {
  const Machine machine = read_ibnetdiscover(
      "Switch 8 \"S-1\"  # \"sw\" base port 0\n[1] \"H-a\"[1](a1) # \"n1 HCA-1\" lid 1 4xQDR\n"
      "[2] \"H-b\"[1](b1) # \"n2 HCA-1\" lid 2 4xQDR\nCa 1 \"H-a\" # \"n1 HCA-1\"\n"
      "[1](a1) \"S-1\"[1] # lid 1\n",
      "f");
  EXPECT_EQ(text(machine), "leaf:1 node:2");
}

TEST(Ibnetdiscover, MalformedOutputIsRefusedWithLineAndReason) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"[1] \"H-a\"[1]", "f:1: a port precedes the first Switch"},
      {"Switch \"S-1\"", "f:1: Switch is followed by its number of ports"},
      {"Switch 8 S-1", "f:1: Switch is followed by its number of ports"},
      {"Switch 8 \"S-1\"\n[1] H-a[1]", "f:2: expected a port"},
      {"Switch 8 \"S-1\"\n[9] \"H-a\"[1]", "f:2: there is no port 9 among 8"},
      {"Switch 8 \"S-1\"\n[1] \"H-a\"[1]\n[1] \"H-b\"[1]", "f:3: port 1 occurs twice"},
      {"Switch 8 \"S-1\"\n\nSwitch 8 \"S-1\"", "f:3: switch 'S-1' occurs twice"},
      {"Switch 8 \"S-1\"\n[1] \"S-2\"[1]", "f: port 1 of switch S-1 leads to 'S-2', which is no"},
      {"Switch 8 \"S-1\"", "f: has no switch with a host"},
      {"vendid=0x2c9\nwhat is this", "f:2: 'what' is neither Switch"},
      {"vendid=0x2c9", "f: has no switch"}};
  for (const auto& [contents, why] : wrong) {
    const std::string said = complaint([&] { read_ibnetdiscover(contents, "f"); });
    EXPECT_TRUE(said.starts_with(why)) << contents << "\n" << said;
  }
}

TEST(SavedMachine, IsTheSameWhenReadAgain) {
  for (const std::string& each :
       {data + "topology-tree.conf", data + "topology-block.conf", data + "ibnetdiscover.txt",
        std::string("torus:4x4 core:2"), std::string("group:3 node:4,2,3 core:2")}) {
    const Machine machine = read_machine(each);
    const Machine again = read_saved(saved(machine), "f");
    EXPECT_EQ(text(again), text(machine));
    for (int level = 0; level < machine.levels(); ++level)
      EXPECT_EQ(again.level(level).labels, machine.level(level).labels);
  }
}

TEST(SavedMachine, IsRefusedWithLineAndReason) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"machine node:2\nmachine node:2", "f:2: there are two machines"},
      {"# c\nmachine node:x", "f:2: machine ' node:x' cannot have 'node:x'"},
      {"machine node:2\nlabels node a", "f:2: there are 1 labels for 2 objects"},
      {"machine node:2\nlabels core a,b", "f:2: expected labels, a level"},
      {"labels node a", "f:1: 'labels' cannot begin a line"},
      {"", "f: has no machine"}};
  for (const auto& [contents, why] : wrong) {
    const std::string said = complaint([&] { read_saved(contents, "f"); });
    EXPECT_TRUE(said.starts_with(why)) << contents << "\n" << said;
  }
}

TEST(ReadMachine, SaysWhatItTakes) {
  EXPECT_NE(complaint([] { read_machine("/no/such/file"); }).find("there is no file"),
            std::string::npos);
  EXPECT_NE(complaint([] { read_machine(data); }).find("is a directory"), std::string::npos);
  EXPECT_NE(complaint([] { read_machine(data + "../CMakeLists.txt"); }).find("is neither Slurm's"),
            std::string::npos);
  EXPECT_NE(complaint([] { read_machine(""); }).find("is empty"), std::string::npos);
  EXPECT_EQ(text(read_machine("node:2 core:2")), "node:2 core:2");
}

TEST(ReadMachine, TakesHwlocsXml) {
  EXPECT_EQ(text(read_machine(data + "hwloc.xml")), "socket:2 numa:2 core:4");
  EXPECT_EQ(text(read_machine(data + "hwloc-two-memories.xml")), "socket:2 core:4")
      << "HBM next to DRAM in each socket";
  const std::string broken = testing::TempDir() + "toccata-broken.xml";
  std::ofstream(broken) << "<?xml version=\"1.0\"?>\n<topology><object></topology>\n";
  EXPECT_NE(complaint([&] { read_machine(broken); }).find("line 2: unexpected closing tag"),
            std::string::npos);
}

// For any contents of a file, the error is one line.
TEST(Readers, SurviveAnything) {
  std::vector<std::string> texts;
  for (const char* each : {"topology-tree.conf", "topology-block.conf", "ibnetdiscover.txt"}) {
    std::ifstream stream(data + each);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  texts.push_back("machine node:4,2,3 core:2\nlabels node n[1-9]\n");
  test::Random random(1);
  static constexpr std::string_view nasty = "[]\"#=,:\\\n -0\x01\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string mutated = texts[random.number(0, static_cast<int>(texts.size()) - 1)];
    for (int change = random.number(1, 6); change > 0; --change) {
      const int at = random.number(0, static_cast<int>(mutated.size()) - 1);
      switch (random.number(0, 2)) {
        case 0:
          mutated[at] = nasty[random.number(0, static_cast<int>(nasty.size()) - 1)];
          break;
        case 1:
          mutated.erase(at, random.number(1, 40));
          mutated += 'x';
          break;
        default:
          mutated.insert(at, mutated.substr(random.number(0, at), 20));
      }
    }
    for (const auto& read : {read_slurm, read_ibnetdiscover, read_saved})
      complaint([&] { EXPECT_GE(read(mutated, "f").levels(), 1); });
  }
}

}  // namespace
}  // namespace toccata
