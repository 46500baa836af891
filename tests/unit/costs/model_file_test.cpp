#include "costs/model_file.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace toccata {
namespace {

const std::string small = R"({"name": "small", "levels": [
  {"level": "network", "eager": {"alpha": 1e-6, "beta": 2e-9}},
  {"level": "node", "injection": 3e9, "threshold": 100,
   "eager": {"alpha": 1e-7, "beta": 1e-10, "o": 1e-8},
   "rendezvous": {"alpha": 2e-7, "beta": 1e-10, "tau": 0.25}}], "gamma": 5e-10,
  "publishing": {"latency": 3e-7, "write": 1e-10, "read": 2e-10}})";

TEST(ModelFile, IsReadAsItIsWritten) {
  const Model model = parse_model(small, "small.json");
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(model.gamma, 5e-10);
  EXPECT_EQ(model.publishing, (Model::Publishing{.latency = 3e-7, .write = 1e-10, .read = 2e-10}));
  ASSERT_EQ(model.levels.size(), 2u);
  EXPECT_EQ(model.levels[0].eager, (Protocol{.alpha = 1e-6, .beta = 2e-9}));
  EXPECT_EQ(model.levels[0].threshold, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(model.levels[1].name, "node");
  EXPECT_EQ(model.levels[1].injection, 3e9);
  EXPECT_EQ(model.levels[1].rendezvous.tau, 0.25);
  EXPECT_EQ(parse_model(json(model), "again.json"), model);
}

TEST(ModelFile, SpeaksOfFileAndFieldWhereItIsWrong) {
  const auto error = [](std::string_view from, std::string_view to) {
    std::string text = small;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_model(text, "small.json");
    } catch (const ModelError& caught) {
      return std::string(caught.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      error("\"beta\": 2e-9", "\"b\": 2e-9"),
      "small.json: levels[0].eager.b is not a field of a model; expected one of alpha, beta, o, "
      "g, tau");
  EXPECT_EQ(error(", \"beta\": 2e-9", ""), "small.json: levels[0].eager.beta is missing");
  EXPECT_EQ(error("2e-9", "-2e-9"),
            "small.json: levels[0].eager.beta is -2e-09; expected a number of at least 0");
  EXPECT_EQ(error("2e-9", "\"2 ns\""),
            "small.json: levels[0].eager.beta is \"2 ns\"; expected a number of at least 0");
  EXPECT_EQ(error(", \"read\": 2e-10", ""), "small.json: publishing.read is missing");
  EXPECT_EQ(error("network", "leaf"),
            "small.json: levels[0].level is \"leaf\"; the first level is \"network\"");
  EXPECT_EQ(error("node", "network"),
            "small.json: levels[1].level is \"network\", which is also the name of levels[0]");
  EXPECT_EQ(error(" \"threshold\": 100,", ""),
            "small.json: levels[1].threshold is missing: give both rendezvous and threshold");
  EXPECT_EQ(error("100", "0.5"),
            "small.json: levels[1].threshold is 0.5; expected an integer number of bytes");
  EXPECT_EQ(error("3e9", "0"), "small.json: levels[1].injection is 0; expected bytes per second");
  EXPECT_EQ(error("0.25", "2"),
            "small.json: levels[1].rendezvous.tau is more than 1; expected a share from 0 to 1");
  EXPECT_EQ(error("\"name\": \"small\",", ""), "small.json: name is missing");
  EXPECT_EQ(error("2e-10}}", "2e-10}"), "small.json:6: this is not JSON");
  EXPECT_EQ(error("2e-10}}", "2e999}}"), "small.json: a number in it is too large");
  EXPECT_EQ(error(small, "[]"), "small.json: this is not an object {...}");
  EXPECT_EQ(error(small, "{\"name\": \"x\", \"levels\": []}"),
            "small.json: levels must be a list of at least one [...]");
}

TEST(ModelFile, NamesAFileThatIsNotThere) {
  EXPECT_THROW(read_model("no/such.json"), ModelError);
  EXPECT_THROW(read_model(TOCCATA_SOURCE_DIR "/models"), ModelError) << "a directory";
}

TEST(ModelFile, OfEachMachineIsRead) {
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOCCATA_SOURCE_DIR "/models")) {
    const Model model = read_model(entry.path());
    EXPECT_EQ(model.name, entry.path().stem());
    EXPECT_NE(model.origin, "") << "names the source of its parameters";
    ++read;
  }
  EXPECT_GE(read, 3);
}

}  // namespace
}  // namespace toccata
