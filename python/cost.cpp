// Models, and the predicted costs of collectives.

#include "cost.h"

#include <nanobind/stl/vector.h>

#include "choices/choice.h"
#include "choices/ranking.h"
#include "costs/cost.h"
#include "costs/cost_bound.h"
#include "costs/model_file.h"
#include "networks/links.h"
#include "text.h"
#include "topology/placement.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

Schedule first_rounds(Schedule schedule, int rounds) {
  if (rounds == 0 || rounds >= schedule.rounds()) return schedule;
  ScheduleBuilder result;
  result.scratch(schedule.scratch());
  for (int i = 0; i < rounds; ++i) result.round().merge_round(schedule, i);
  return std::move(result).build();
}

// A choice in a shape. Its schedules are written once and serve any number of sizes.
class Predictor {
 public:
  // Walks only the first `most_rounds` rounds of each schedule, unless that is 0.
  Predictor(const Choice& choice, const Shape& known, int most_rounds = 0)
      : shape_(shape_of(choice, known)) {
    if (choice.native())
      throw ChoiceError("'native' is the MPI library's own algorithm; nothing is known of it");
    collective_ = &choice.algorithm->collective;
    for (int rank = 0; rank < shape_.p; ++rank)
      schedules_.push_back(first_rounds(choice.schedule(shape_, rank), most_rounds));
    if (shape_.placement != nullptr && shape_.placement->machine().network())
      options_.conflicts = conflicts_on(shape_, schedules_);
  }

  Prediction operator()(std::int64_t unit_bytes, const Model& model, bool terms,
                        const std::vector<double>& arrivals = {}) const {
    if (!arrivals.empty() && static_cast<int>(arrivals.size()) != shape_.p)
      throw ChoiceError("there are " + std::to_string(arrivals.size()) + " arrivals for " +
                        std::to_string(shape_.p) + " ranks");
    CostOptions options = options_;
    options.terms = terms;
    options.arrivals = arrivals;
    const Prediction found = predict(*collective_, shape_, schedules_,
                                     datum_bytes(*collective_, shape_, unit_bytes), model, options);
    if (!found.error.empty()) throw ChoiceError(found.error);
    return found;
  }

 private:
  Shape shape_;
  const Collective* collective_;
  std::vector<Schedule> schedules_;
  CostOptions options_;
};

}  // namespace

void bind_cost(nb::module_& module) {
  TextException<ModelError>(module, "ModelError", module.attr("ChoiceError").ptr());

  nb::class_<Model>(module, "Model", "The cost of communication on a machine.")
      .def_static("read", &read_model, "path"_a,
                  "Raises ModelError, naming the file and the field.")
      .def_static("parse", &parse_model, "json"_a, "file"_a = "model")
      .def_ro("name", &Model::name)
      .def_ro("origin", &Model::origin, "The source of the parameters.")
      .def_prop_ro("json", &json)
      .def_prop_ro("levels",
                   [](const Model& self) {
                     std::vector<std::string> names;
                     for (const Model::Level& each : self.levels) names.push_back(each.name);
                     return names;
                   })
      .def_prop_ro("term_names", &term_names, "Such as \"network.eager.alpha\".")
      .def_prop_ro("coefficients", &coefficients, "The parameters, in that order.");

  module.def("is_model", &is_model, "path"_a,
             "Whether a file can be read and contains the levels of a model.");

  nb::class_<Predictor>(
      module, "Predictor",
      "A choice in a shape, for any number of sizes and models. ChoiceError if it is impossible.")
      .def(nb::init<const Choice&, const Shape&, int>(), "choice"_a, "shape"_a, "most_rounds"_a = 0,
           "Walks only the first `most_rounds` rounds of each schedule, unless this is 0.")
      .def(
          "seconds",
          [](const Predictor& self, std::int64_t unit_bytes, const Model& model,
             const std::vector<double>& arrivals) {
            return self(unit_bytes, model, false, arrivals).seconds;
          },
          "unit_bytes"_a, "model"_a, "arrivals"_a = std::vector<double>(),
          nb::call_guard<nb::gil_scoped_release>(),
          "The time at which the last rank finishes, if ranks arrive at these times in seconds; by "
          "default, all arrive at time 0.")
      .def(
          "terms",
          [](const Predictor& self, std::int64_t unit_bytes, const Model& model) {
            return self(unit_bytes, model, true).terms;
          },
          "unit_bytes"_a, "model"_a, nb::call_guard<nb::gil_scoped_release>(),
          "How often each parameter of the model lies on the critical path.");

  nb::class_<LowerBound>(module, "LowerBound",
                         "The time in seconds that no algorithm of a choice's collective can beat.")
      .def(
          "__init__",
          [](LowerBound* self, const Choice& choice, const Shape& shape, const Model& model) {
            if (choice.native()) throw ChoiceError("'native' is not a collective");
            new (self) LowerBound(choice.algorithm->collective, shape, model);
          },
          "choice"_a, "shape"_a, "model"_a)
      .def("__call__", &LowerBound::operator(), "unit_bytes"_a);
}
