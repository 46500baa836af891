// The selection of algorithms: the sign test, tuning files, and the nearest known word.

#include "choices.h"

#include <nanobind/stl/vector.h>

#include "choices/choice.h"
#include "choices/sign_test.h"
#include "choices/spelling.h"
#include "choices/tuning.h"
#include "text.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

void bind_selection(nb::module_& module) {
  module.def(
      "chance", &chance, "heads"_a, "trials"_a,
      "The probability of at least `heads` heads in `trials` tosses of a fair coin (sign test).");
  module.def(
      "nearest",
      [](std::string_view word, const std::vector<std::string_view>& known) {
        return std::string(nearest(word, known));
      },
      "word"_a, "known"_a,
      "The known word with the fewest inserted, deleted or changed letters; \"\" if there are more "
      "than a third of its letters (src/choices/spelling.h).");
  module.def(
      "check_tuning",
      [](std::string_view text, std::string_view file) {
        std::string unknown;  // an unknown or unproved algorithm: still valid
        try {
          parse_tuning(text, file, unknown);
        } catch (const TuningError& error) {
          throw ChoiceError(error.what());
        }
      },
      "text"_a, "file"_a,
      "Checks the fields of a tuning file that the library reads (src/choices/tuning.h). Raises "
      "ChoiceError, which names the file, the point and the field.");
}
