#include "choices/choice.h"

#include "support.h"

namespace toccata {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_choice(allgather, text);
  } catch (const ChoiceError& error) {
    return error.what();
  }
  return "";
}

TEST(Request, TakesAnAlgorithmByNameOrPath) {
  for (const Algorithm* each : all_algorithms()) {
    EXPECT_EQ(parse_choice(each->collective, each->name).algorithm, each);
    EXPECT_EQ(parse_choice(each->collective, each->path()).algorithm, each);
    EXPECT_EQ(parse_choice(each->collective, each->name).text(), each->name);
  }
  EXPECT_TRUE(parse_choice(allgather, "native").native());
  EXPECT_EQ(parse_choice(allgather, "native").text(), "native");
}

TEST(Request, TakesEveryValueAndSaysItAgain) {
  for (const Algorithm* each : all_algorithms())
    for (const Parameter& parameter : each->parameters)
      for (const int value : parameter.samples) {
        const std::string text = std::string(each->name) + ":" + std::string(parameter.name) + "=" +
                                 parameter.text(value);
        const Choice choice = parse_choice(each->collective, text);
        EXPECT_EQ(choice.parameters[parameter], value) << text;
        EXPECT_EQ(parse_choice(each->collective, choice.text()).parameters, choice.parameters);
      }
}

TEST(Request, RefusesNumbersThatAreNone) {
  for (const Algorithm* each : all_algorithms())
    for (const Parameter& parameter : each->parameters)
      for (const std::string& value :
           {std::to_string(parameter.least - 1), std::to_string(parameter.most + 1),
            std::to_string(parameter.standard) + "x", std::string("99999999999"), std::string("-"),
            std::string(" 1"), std::string("0x1")}) {
        const std::string setting = std::string(parameter.name) + "=" + value;
        EXPECT_THROW(parse_choice(each->collective, std::string(each->name) + ":" + setting),
                     ChoiceError)
            << setting;
      }
}

TEST(Request, TakesTravelForEveryAlgorithm) {
  for (const Travel travel : {Travel::whole, Travel::packed, Travel::datatype, Travel::per_block})
    EXPECT_EQ(parse_choice(allgather, std::string("ring:travel=") + name(travel)).travel, travel);
  EXPECT_EQ(parse_choice(allgather, "ring:travel=whole").text(), "ring");
  EXPECT_EQ(parse_choice(allgather, "bruck:travel=packed,rotation=none").text(),
            "bruck:rotation=none,travel=packed");
  EXPECT_EQ(parse_choice(allgather, "sparbit:travel=per_block").text(), "sparbit:travel=per_block");
}

TEST(Request, WritesTheScheduleAskedFor) {
  const Choice choice = parse_choice(allgather, "bruck:rotation=none,travel=datatype");
  const Schedule schedule = choice.schedule(choice.in({.p = 6}), 4);
  EXPECT_TRUE(schedule.scratch().empty());
  EXPECT_EQ(schedule.sends(1)[0].travel, Travel::datatype);
  // Settings that the algorithm fixes do not change.
  const Choice own = parse_choice(allgather, "sparbit:messages=per_block,travel=packed");
  EXPECT_EQ(own.schedule(own.in({.p = 6}), 4).sends(1)[0].travel, Travel::per_block);
}

TEST(Request, TakesAnAlgorithmForTheVectorForm) {
  for (const char* text : {"pairwise", "alltoall/pairwise", "alltoallv/pairwise"})
    EXPECT_EQ(parse_choice(alltoallv, text).algorithm, find_algorithm(alltoall, "pairwise"));
  EXPECT_THROW(parse_choice(alltoall, "alltoallv/pairwise"), ChoiceError);
  EXPECT_THROW(parse_choice(alltoallv, "alltoallv/alltoall/pairwise"), ChoiceError);
  EXPECT_THROW(parse_choice(alltoallv, "allgather/ring"), ChoiceError);
}

// The error message without its list of accepted names, which grows.
std::string start_of(const std::string& error) { return error.substr(0, error.find(';')); }

TEST(Request, RefusesAnUnknownAlgorithm) {
  EXPECT_EQ(start_of(error_of("rign")), "there is no allgather algorithm 'rign'");
  EXPECT_EQ(start_of(error_of("alltoall/ring")), "there is no allgather algorithm 'alltoall/ring'");
  EXPECT_EQ(start_of(error_of("Ring")), "there is no allgather algorithm 'Ring'");
  EXPECT_EQ(start_of(error_of("ring ")), "there is no allgather algorithm 'ring '");
  const std::string error = error_of("rign");
  for (const Algorithm* each : all_algorithms())
    if (&each->collective == &allgather) {
      EXPECT_NE(error.find(each->name), std::string::npos) << error;
    }
  EXPECT_NE(error.find("expected one of native, "), std::string::npos) << error;
}

TEST(Request, RefusesToGuessWhereNoneIsNamed) {
  EXPECT_EQ(start_of(error_of("")), "the name of the allgather algorithm is missing");
  EXPECT_EQ(start_of(error_of(":messages=per_block")),
            "the name of the allgather algorithm is missing");
  EXPECT_EQ(start_of(error_of("allgather/")), "the name of the allgather algorithm is missing");
}

TEST(Request, RefusesAnUnknownParameter) {
  EXPECT_TRUE(error_of("sparbit:mesages=per_block")
                  .starts_with("allgather/sparbit has no parameter 'mesages'; expected "
                               "messages=per_round|per_block, travel=whole|packed|datatype|"
                               "per_block|published, reorder=off|auto|straight|exchange|shuffle"));
  EXPECT_TRUE(error_of("ring:k=3")
                  .starts_with("allgather/ring has no parameter 'k'; expected "
                               "travel=whole|packed|datatype|per_block|published, "
                               "reorder="));
}

TEST(Request, RefusesAMalformedValue) {
  EXPECT_EQ(error_of("sparbit:messages=perblock"),
            "parameter messages cannot be 'perblock'; expected per_round|per_block");
  EXPECT_EQ(error_of("sparbit:messages="),
            "parameter messages cannot be ''; expected per_round|per_block");
  EXPECT_EQ(error_of("sparbit:messages=per_block=yes"),
            "parameter messages cannot be 'per_block=yes'; expected per_round|per_block");
  EXPECT_EQ(
      error_of("ring:travel=slow"),
      "parameter travel cannot be 'slow'; expected whole|packed|datatype|per_block|published");
}

TEST(Request, RefusesAParameterWithoutAValue) {
  EXPECT_EQ(error_of("sparbit:messages"),
            "parameter messages has no value; expected per_round|per_block");
}

TEST(Request, RefusesAParameterGivenTwice) {
  EXPECT_EQ(error_of("sparbit:messages=per_block,messages=per_round"),
            "parameter messages is given twice");
  EXPECT_EQ(error_of("ring:travel=packed,travel=packed"), "parameter travel is given twice");
}

TEST(Request, RefusesEmptySettings) {
  for (const char* text : {"ring:", "ring:travel=packed,", "ring:,travel=packed"})
    EXPECT_TRUE(error_of(text).starts_with(
        "a parameter is missing after ':' or ','; allgather/ring accepts travel=whole|packed|"));
}

TEST(Request, RefusesParametersOfNative) {
  EXPECT_EQ(error_of("native:travel=packed"), "native takes no parameters");
  EXPECT_EQ(error_of("native:"), "native takes no parameters");
}

TEST(Request, RefusesAnImpossibleNumberOfRanks) {
  const auto error = [](const char* text, int p) -> std::string {
    try {
      static_cast<void>(parse_choice(allgather, text).in({.p = p}));
    } catch (const ChoiceError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error("neighbor_exchange", 5),
            "allgather/neighbor_exchange needs an even number of ranks (there are 5 ranks)");
  EXPECT_EQ(error("recursive_doubling", 6),
            "allgather/recursive_doubling needs a power of two ranks (there are 6 ranks)");
  EXPECT_EQ(error("recursive_doubling", 8), "");
}

TEST(Request, ReadsNothingBeyondTheText) {
  const std::string longer = "ring:travel=packedXXXX";
  EXPECT_EQ(parse_choice(allgather, std::string_view(longer).substr(0, 18)).travel, Travel::packed);
}

}  // namespace
}  // namespace toccata
