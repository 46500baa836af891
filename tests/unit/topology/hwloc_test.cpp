#include "topology/hwloc.h"

#include "support.h"
#include "topology/error.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

std::string levels(const std::string& description) {
  return text(NodeTopology::from_synthetic(description).machine());
}

TEST(Hwloc, KeepsTheLevelsThatDivide) {
  EXPECT_EQ(levels("pack:2 l3:1 core:8 pu:2"), "socket:2 core:8");
  EXPECT_EQ(levels("pack:2 numa:2 l3:2 core:4 pu:1"), "socket:2 numa:2 l3:2 core:4");
  EXPECT_EQ(levels("pack:1 core:6 pu:1"), "core:6");
  EXPECT_EQ(levels("pu:1"), "core:1");
  EXPECT_EQ(levels("pu:5"), "core:5") << "hardware threads where there are no cores";
  EXPECT_EQ(levels("pack:4 core:1 pu:2"), "socket:4 core:1");
  EXPECT_EQ(levels("l3:4 core:2 pu:1"), "l3:4 core:2");
  EXPECT_EQ(levels("pack:1 l3:1 numa:4 core:3 pu:1"), "numa:4 core:3") << "NUMA inside an L3";
}

// HBM next to DRAM, or CXL memory: several NUMA domains belong to the same cores.
TEST(Hwloc, CountsCoresOnceThatHaveSeveralMemories) {
  EXPECT_EQ(levels("pack:2 [numa] [numa] core:4 pu:1"), "socket:2 core:4");
  EXPECT_EQ(levels("[numa] [numa] core:4 pu:1"), "core:4") << "one socket";
  EXPECT_EQ(levels("[numa] pack:2 [numa] core:4 pu:1"), "socket:2 core:4") << "of the machine";
  EXPECT_EQ(levels("pack:2 [numa] group:2 [numa] core:2 pu:1"), "socket:2 numa:2 core:2")
      << "of a socket, next to the two domains of its DRAM";
  EXPECT_EQ(levels("pack:2 l3:2 [numa] [numa] core:2 pu:1"), "socket:2 numa:2 core:2")
      << "domains that are the L3 caches";
  const NodeTopology node =
      NodeTopology::from_synthetic("pack:2 [numa] group:2 [numa] core:2 pu:1");
  EXPECT_EQ(node.place_of("6-7"), (Place{1, 3})) << "the last domain of DRAM";
  EXPECT_EQ(node.place_of("7"), (Place{2, 7}));
}

TEST(Hwloc, ReadsThisMachine) {
  const NodeTopology here = NodeTopology::here();
  EXPECT_EQ(here.machine().name(here.machine().innermost()), "core");
  EXPECT_GE(here.machine().objects(here.machine().innermost()), 1);
  if (const auto place = here.binding()) {
    EXPECT_LT(place->object, here.machine().objects(place->level));
  }
}

TEST(Hwloc, FindsTheInnermostObjectThatABindingIsIn) {
  const NodeTopology node = NodeTopology::from_synthetic("pack:2 l3:2 core:2 pu:2");
  EXPECT_EQ(node.place_of("0-1"), (Place{2, 0})) << "a core";
  EXPECT_EQ(node.place_of("3"), (Place{2, 1})) << "a hardware thread of a core";
  EXPECT_EQ(node.place_of("4-7"), (Place{1, 1})) << "an L3";
  EXPECT_EQ(node.place_of("1-2"), (Place{1, 0})) << "two cores";
  EXPECT_EQ(node.place_of("2-5"), (Place{0, 0})) << "across two L3, in a socket";
  EXPECT_EQ(node.place_of("7-8"), std::nullopt) << "across the sockets";
  EXPECT_EQ(node.place_of("0-15"), std::nullopt) << "bound to no object";
  EXPECT_EQ(node.place_of(""), std::nullopt);
}

TEST(Hwloc, RefusesWhatItCannotRead) {
  EXPECT_THROW(NodeTopology::from_synthetic("nonsense"), TopologyError);
}

std::string read(const std::string& objects) {
  return text(
      read_hwloc_xml("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                     "<topology>" +
                         objects + "</topology>",
                     "x.xml"));
}

std::string complaint(const std::string& objects) {
  try {
    return "read as " + read(objects);
  } catch (const TopologyError& error) {
    return error.what();
  }
}

TEST(HwlocXml, HasTheLevelsThatDivide) {
  EXPECT_EQ(read(R"(<object type="Core" cpuset="0x1"/><object type="Core" cpuset="0x2"/>)"),
            "core:2");
  EXPECT_EQ(read(R"(<object type="PU" cpuset="0x1"/><object type="PU" cpuset="0x80000000,,0x0"/>
                    <info>text between tags</info>)"),
            "core:2")
      << "hardware threads where there are no cores";
  EXPECT_EQ(read(R"(<object type="Socket" cpuset="0xf"><object type="Cache" depth="3" cpuset="0x3">
                      <object type="Core" cpuset="0x1"/><object type="Core" cpuset="0x2"/></object>
                    <object type="Cache" depth="3" cpuset="0xc">
                      <object type="Core" cpuset="0x4"/><object type="Core" cpuset="0x8"/></object>
                    <object type="Cache" depth="2" cpuset="0xc"/></object>)"),
            "l3:2 core:2")
      << "in the format of hwloc 1";
}

TEST(HwlocXml, CountsCoresOnceThatHaveSeveralMemories) {
  const std::string cores = R"(<object type="Core" cpuset="0x1"/><object type="Core" cpuset="0x2"/>
                               <object type="Core" cpuset="0x4"/><object type="Core" cpuset="0x8"/>)";
  const auto numa = [](const char* cpuset) {
    return "<object type=\"NUMANode\" cpuset=\"" + std::string(cpuset) + "\"/>";
  };
  EXPECT_EQ(read(numa("0x3") + numa("0x3") + numa("0xc") + numa("0xc") + cores), "numa:2 core:2");
  EXPECT_EQ(read(numa("0x3") + numa("0xc") + numa("0xf") + numa("0x0") + cores), "numa:2 core:2")
      << "memory of the whole machine, and memory without processors";
  EXPECT_EQ(read(numa("0x3") + numa("0xc") + "<object type=\"NUMANode\"/>" + cores),
            "numa:2 core:2")
      << "memory without a set of processors";
  EXPECT_EQ(read(numa("0x3") + numa("0x1") + numa("0xc") + cores), "numa:2 core:2")
      << "memory of some of a domain's cores";
  EXPECT_EQ(read("<object type=\"MemCache\" cpuset=\"0x3\">" + numa("0x3") + "</object>" +
                 "<object type=\"MemCache\" cpuset=\"0xc\">" + numa("0xc") + "</object>" +
                 numa("0x3") + numa("0xc") + cores),
            "numa:2 core:2")
      << "with a memory-side cache";
}

// No core is lost if objects of a kind contain only some of the cores.
TEST(HwlocXml, LeavesOutKindsThatDoNotContainAllCores) {
  EXPECT_EQ(read(R"(<object type="L3Cache" cpuset="0x1"><object type="Core" cpuset="0x1"/></object>
                    <object type="L3Cache" cpuset="0x2"><object type="Core" cpuset="0x2"/></object>
                    <object type="Core" cpuset="0x4"/>)"),
            "core:3");
  EXPECT_EQ(read(R"(<object type="NUMANode" cpuset="0x3"/><object type="NUMANode" cpuset="0x6"/>
                    <object type="Core" cpuset="0x3"/><object type="Core" cpuset="0x4"/>)"),
            "core:2")
      << "domains that overlap";
}

TEST(HwlocXml, BrokenFilesGiveALine) {
  for (const auto& [objects, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "has no cores"},
           {R"(<object type="Core" cpuset="0x0"/>)", "has no cores"},
           {R"(<object type="Core" cpuset="zero"/>)", "'zero' is not a set of processors"},
           {R"(<object type="Core" cpuset="0x123456789"/>)", "is not a set of processors"},
           {R"(<object type="Core" cpuset=",0x1"/>)", "is not a set of processors"},
           {R"(<object type="Core" cpuset="0x1">)", "unexpected closing tag"},
           {R"(<object type="Core)", "an attribute is not closed"},
           {R"(</topology><topology>)", "expected one topology"}}) {
    const std::string said = complaint(objects);
    EXPECT_TRUE(said.starts_with("x.xml: ")) << said;
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace toccata
