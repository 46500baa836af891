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

// As fabrics with several core switches are described, also at different heights.
TEST(Slurm, SwitchesAboveTheSameOnesAreOneObject) {
  const Machine machine = read_machine(data + "topology-two-cores.conf");
  EXPECT_EQ(text(machine), "spine:1 leaf:2 node:4");
  EXPECT_EQ(labels(machine, "spine"), (std::vector<std::string>{"core1+core2"}));
  EXPECT_EQ(labels(machine, "leaf"), (std::vector<std::string>{"edge1", "edge2"}));
  const auto read = [](const std::string& contents) { return read_slurm(contents, "f"); };
  const std::string leaves =
      "SwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\nSwitchName=l3 Nodes=c\n";
  const Machine chain = read(leaves + "SwitchName=s1 Switches=l1,l2\nSwitchName=s2 Switches=l2,l3");
  EXPECT_EQ(text(chain), "spine:1 leaf:3 node:1") << "through l2";
  const Machine mixed =
      read(leaves + "SwitchName=s1 Switches=l1,l2\nSwitchName=top Switches=s1,l2,l3");
  EXPECT_EQ(text(mixed), "switch3:1 spine:2 leaf:2,1 node:1") << "l2 is below both";
  EXPECT_EQ(labels(mixed, "spine"), (std::vector<std::string>{"s1", "l3"}));
  EXPECT_EQ(labels(read("SwitchName=top Switches=b,a\nSwitchName=a Nodes=n1\n"
                        "SwitchName=b Nodes=n2"),
                   "node"),
            (std::vector<std::string>{"n2", "n1"}))
      << "in the order of Switches=";
}

TEST(Slurm, OutputOfScontrolIsRead) {
  const Machine tree = read_machine(data + "scontrol-tree.txt");
  EXPECT_EQ(text(tree), "switch3:1 spine:2 leaf:2,1 node:4*2,1");
  EXPECT_EQ(labels(tree, "spine"), (std::vector<std::string>{"core1+core2", "login"}));
  const Machine blocks = read_machine(data + "scontrol-block.txt");
  EXPECT_EQ(text(blocks), "block12:1 block6:2 block:2 node:3");
  EXPECT_EQ(saved(blocks), saved(read_slurm("BlockName=rack1 Nodes=n[01-03]\n"
                                            "BlockName=rack2 Nodes=n[04-06]\n"
                                            "BlockName=rack3 Nodes=n[07-09]\n"
                                            "BlockName=rack4 Nodes=n[10-12]\nBlockSizes=3,6,12",
                                            "f")));
  EXPECT_TRUE(unknown_levels(blocks).empty());
}

std::string written(const std::string& name, const std::string& contents) {
  const std::string path = testing::TempDir() + "toccata-" + name;
  std::ofstream(path) << contents;
  return path;
}

TEST(Slurm, IncludedFilesAreRead) {
  const std::string inner = written("inner.conf", "\xef\xbb\xbfSwitchName=s2 Nodes=b\n");
  const std::string outer =
      written("outer.conf",
              "Include toccata-inner.conf\nSwitchName=s1 Nodes=a\nSwitchName=c Switches=s[1-2]");
  EXPECT_EQ(text(read_machine(outer)), "spine:1 leaf:2 node:1");
  const auto including = [](const std::string& line) {
    return complaint([&] { read_machine(written("including.conf", "# c\n" + line)); });
  };
  const std::string place = testing::TempDir() + "toccata-including.conf:2: ";
  EXPECT_EQ(including("include no-such.conf"),
            place + testing::TempDir() +
                "no-such.conf: cannot be read: there is no such file; check the path");
  EXPECT_EQ(including("include /dev/null"), place + "/dev/null: is a device; give a file");
  EXPECT_EQ(including("include"), place + "expected one file: include FILE");
  EXPECT_EQ(including("include ./toccata-including.conf"),
            place + "includes './toccata-including.conf' again; include each file once");
  written("wrong.conf", "\nnonsense");
  EXPECT_EQ(
      including("include toccata-wrong.conf"),
      testing::TempDir() + "toccata-wrong.conf:2: 'nonsense' is not a setting; write KEY=VALUE");
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
       "f:1: switch s1 has a switch 's2' below it, but no line has SwitchName=s2; add it"},
      {"SwitchName=a Switches=b\nSwitchName=b Switches=a", "f:1: switch a is below itself"},
      {"SwitchName=s Nodes=n\nSwitchName=a Switches=b\nSwitchName=b Switches=c,s\n"
       "SwitchName=c Switches=b",
       "f:4: switch c is below itself; correct its Switches="},
      {"SwitchName=s Nodes=n Switches=t Level=", "f:1: 'Level=' is not a setting"},
      {"SwitchName=s \\\n  Nodes=a\nnonsense=1",
       "f:3: 'nonsense=1' is unknown; expected SwitchName="},
      {"BlockName=b", "f:1: block b needs Nodes="},
      {"BlockName=b Nodes=a\nBlockSizes=4,6", "f:2: 'BlockSizes=4,6' is invalid; expected a size"},
      {"BlockName=b Nodes=a BlockSize=4\nAggregatedBlock=b Nodes=a BlockSize=6",
       "f:2: 'BlockSize=6' is invalid; expected a size"},
      {"BlockName=b Nodes=a\nBlockSizes=0", "f:2: '0' is not the size"},
      {"BlockName=b Nodes=a\nSwitchName=s Nodes=c", "f:2: the file has both switches and blocks"},
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

// Groups are those of -g: headings, comments, and numbers of ports outside the chassis.
TEST(Ibnetdiscover, GroupsAndRoutersAreRead) {
  const Machine machine = read_machine(data + "ibnetdiscover-grouped.txt");
  EXPECT_EQ(text(machine), "leaf:2 node:2,1");
  EXPECT_EQ(labels(machine, "leaf"), (std::vector<std::string>{"leaf", "leafb"}));
  EXPECT_EQ(labels(machine, "node"), (std::vector<std::string>{"hosta", "hostb", "hostc"}))
      << "a router is not a host";
  EXPECT_EQ(machine.remark(), "");
  const auto fabric = read_fabric_in(data + "ibnetdiscover-grouped.txt");
  ASSERT_TRUE(fabric);
  EXPECT_EQ(fabric->names,
            (std::vector<std::string>{"hosta", "hostb", "hostc", "spine", "leaf", "leafb"}));
  ASSERT_EQ(fabric->cables.size(), 7) << "three hosts, and two cables from both ends";
  EXPECT_EQ(fabric->cables[1].from, 3);
  EXPECT_EQ(fabric->cables[1].to, 5);
  EXPECT_EQ(fabric->cables[1].speed, "4xEDR") << "of -f";
  EXPECT_FALSE(read_fabric_in(data + "topology-tree.conf"));
}

TEST(Ibnetdiscover, AdaptersWithoutNamesAreDistinct) {
  const std::string file = data + "ibnetdiscover-same-names.txt";
  const Machine machine = read_machine(file);
  EXPECT_EQ(text(machine), "leaf:2 node:2,1");
  EXPECT_EQ(
      labels(machine, "node"),
      (std::vector<std::string>{"H-a100000000000011", "H-a100000000000001", "H-a100000000000021"}));
  EXPECT_EQ(machine.remark(),
            file +
                ": 3 adapters have names without a host, such as 'MT4129 ConnectX7 Mellanox "
                "Technologies'; each counts as a host with its GUID as name, such as "
                "H-a100000000000001. For other names, use ibnetdiscover --node-name-map FILE.");
  EXPECT_EQ(read_machine(file + " core:4").remark(), machine.remark());
  const auto hosts = [](const std::vector<std::string>& descriptions) {
    std::string contents = "Switch 8 \"S-1\"\n";
    for (std::size_t i = 1; i <= descriptions.size(); ++i)
      contents += "[" + std::to_string(i) + "] \"H-" + std::to_string(i) + "\"[1](a) # \"" +
                  descriptions[i - 1] + "\" lid 1 4xQDR\n";
    return labels(read_ibnetdiscover(contents, "f"), "node");
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(hosts({"n1 mlx5_0", "n1 mlx5_1", "n2 mlx5_0"}), (Names{"n1", "n2"}));
  EXPECT_EQ(hosts({"n1", "n1", "n2"}), (Names{"n1", "n2"})) << "names of hosts only";
  EXPECT_EQ(hosts({"localhost mlx5_0", "localhost mlx5_0", "localhost mlx5_1", "n2 mlx5_0"}),
            (Names{"H-1", "H-2", "H-3", "n2"}));
  EXPECT_EQ(hosts({"", "", "n2 mlx5_0"}), (Names{"H-1", "H-2", "n2"}));
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
      {"Switch \"S-1\"", "f:1: expected Switch, its number of ports"},
      {"Switch 8 S-1", "f:1: expected Switch, its number of ports"},
      {"Switch 8 \"S-1\"\n[1] H-a[1]", "f:2: expected a port"},
      {"Switch 8 \"S-1\"\n[9] \"H-a\"[1]", "f:2: there is no port 9 among 8"},
      {"Switch 8 \"S-1\"\n[1] \"H-a\"[1]\n[1] \"H-b\"[1]", "f:3: port 1 occurs twice"},
      {"Switch 8 \"S-1\"\n\nSwitch 8 \"S-1\"", "f:3: switch 'S-1' occurs twice"},
      {"Switch 8 \"S-1\"\n[1] \"S-2\"[1]", "f: port 1 of switch S-1 leads to 'S-2', which is no"},
      {"Switch 8 \"S-1\"", "f: has no switch with a host"},
      {"vendid=0x2c9\nwhat is this", "f:2: 'what' is not Switch"},
      {"vendid=0x2c9", "f: has no switch"}};
  for (const auto& [contents, why] : wrong) {
    const std::string said = complaint([&] { read_ibnetdiscover(contents, "f"); });
    EXPECT_TRUE(said.starts_with(why)) << contents << "\n" << said;
  }
}

TEST(SavedMachine, IsTheSameWhenReadAgain) {
  for (const std::string& each :
       {data + "topology-tree.conf", data + "topology-block.conf", data + "ibnetdiscover.txt",
        data + "topology-two-cores.conf", data + "scontrol-block.txt",
        data + "ibnetdiscover-grouped.txt", data + "ibnetdiscover-same-names.txt",
        std::string("torus:4x4 core:2"), std::string("group:3 node:4,2,3 core:2")}) {
    const Machine machine = read_machine(each);
    const Machine again = read_saved(saved(machine), "f");
    EXPECT_EQ(text(again), text(machine));
    for (int level = 0; level < machine.levels(); ++level)
      EXPECT_EQ(again.level(level).labels, machine.level(level).labels);
  }
}

TEST(SavedMachine, MayHaveSlowLinks) {
  const Machine machine = read_saved(
      "machine leaf:2 node:2 core:1\nlinks node2=1/4, leaf0=1/2\ntree bcast 1 -,0,0,1\n", "f");
  EXPECT_EQ(text(machine), "leaf:2 node:2 core:1");
  ASSERT_NE(machine.trees(), nullptr);
  EXPECT_EQ(machine.trees()->bcast.size(), 1U);
}

TEST(SavedMachine, IsRefusedWithLineAndReason) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"machine node:2\nmachine node:2", "f:2: there are two machines"},
      {"# c\nmachine node:x", "f:2: machine ' node:x' cannot have 'node:x'"},
      {"machine node:2\nlabels node a", "f:2: there are 1 labels for 2 objects"},
      {"machine node:2\nlabels core a,b", "f:2: expected labels, a level"},
      {"labels node a", "f:1: 'labels' cannot begin a line"},
      {"links node2=1/4", "f:1: 'links' cannot begin a line"},
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
  const auto said = [](const std::string& contents) {
    return complaint([&] { read_machine(written("unknown", contents)); });
  };
  const std::string file = testing::TempDir() + "toccata-unknown";
  const std::string expected =
      "expected Slurm's topology.conf, the output of `scontrol show topology` or ibnetdiscover, "
      "hwloc's XML, or a file of toccata topo --save";
  EXPECT_EQ(said("\nRingName=r1 Nodes=a"),
            file + ":2: 'RingName=r1 Nodes=a' is unknown; " + expected);
  EXPECT_EQ(said("# c\n"), file + ": is empty; " + expected);
  for (const char* line : {"---", "- topology: topo1", "topology: topo1"})
    EXPECT_EQ(said("# c\n" + std::string(line) + "\n"),
              file + ":2: '" + line +
                  "' is YAML, which Toccata does not read; give the output of `scontrol show "
                  "topology` in a file");
  EXPECT_NE(complaint([] { read_machine(""); }).find("is empty"), std::string::npos);
  EXPECT_EQ(text(read_machine("node:2 core:2")), "node:2 core:2");
}

TEST(ReadMachine, TakesAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_EQ(text(read_machine(written("mark.conf", mark + "SwitchName=s1 Nodes=a\r\n"))),
            "leaf:1 node:1");
  EXPECT_EQ(text(read_machine(written("mark.txt", mark + "machine node:2\n"))), "node:2");
  const std::string wide = written("wide.conf", std::string("\xff\xfeS\0w\0", 6));
  EXPECT_EQ(complaint([&] { read_machine(wide); }),
            wide + ": is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
}

TEST(ReadMachine, TakesHwlocsXml) {
  EXPECT_EQ(text(read_machine(data + "hwloc.xml")), "socket:2 numa:2 core:4");
  EXPECT_EQ(text(read_machine(data + "hwloc-two-memories.xml")), "socket:2 core:4")
      << "HBM next to DRAM in each socket";
  EXPECT_EQ(text(read_machine(data + "hwloc-3.xml")), "socket:2 core:2") << "as hwloc 3 writes it";
  const std::string broken = testing::TempDir() + "toccata-broken.xml";
  std::ofstream(broken) << "<?xml version=\"1.0\"?>\n<topology><object></topology>\n";
  EXPECT_NE(complaint([&] { read_machine(broken); }).find("line 2: unexpected closing tag"),
            std::string::npos);
}

// For any contents of a file, the error is one line.
TEST(Readers, SurviveAnything) {
  std::vector<std::string> texts;
  for (const char* each : {"topology-tree.conf", "topology-two-cores.conf", "topology-block.conf",
                           "scontrol-tree.txt", "scontrol-block.txt", "ibnetdiscover.txt",
                           "ibnetdiscover-grouped.txt", "ibnetdiscover-same-names.txt"}) {
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
