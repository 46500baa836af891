#include "fitting.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "analysis/cost.h"
#include "analysis/model_file.h"
#include "selection/request.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace toccata;

namespace {

// A model whose levels are alike in what a fit searches for.
Model model_of(const std::vector<std::string>& levels, const std::vector<double>& values,
               std::int64_t threshold, std::int64_t kept, double tau) {
  Model model;
  model.kept = kept;
  for (const std::string& name : levels)
    model.levels.push_back({.name = name, .threshold = threshold, .eager = {.tau = tau}});
  if (!values.empty()) set_coefficients(model, values);
  return model;
}

}  // namespace

void bind_fitting(nb::module_& module) {
  module.def(
      "model_terms",
      [](const std::vector<std::string>& levels) {
        return term_names(model_of(levels, {}, 0, 0, 1));
      },
      "levels"_a);
  module.def(
      "path_terms",
      [](const Choice& choice, const Shape& known, std::int64_t unit_bytes,
         const std::vector<std::string>& levels, const std::vector<double>& values,
         std::int64_t threshold, std::int64_t kept, double tau) {
        if (choice.native()) throw RequestError("of the native algorithm nothing is known");
        const Prediction found =
            predict(*choice.algorithm, choice.in(known), unit_bytes,
                    model_of(levels, values, threshold, kept, tau), {.terms = true});
        if (!found.error.empty()) throw RequestError(found.error);
        return found.terms;
      },
      "choice"_a, "shape"_a, "unit_bytes"_a, "levels"_a, "values"_a, "threshold"_a, "kept"_a,
      "tau"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "model_json",
      [](const std::string& name, const std::string& origin, const std::vector<std::string>& levels,
         const std::vector<double>& values, std::int64_t threshold, std::int64_t kept, double tau) {
        Model model = model_of(levels, values, threshold, kept, tau);
        model.name = name;
        model.origin = origin;
        return json(model);
      },
      "name"_a, "origin"_a, "levels"_a, "values"_a, "threshold"_a, "kept"_a, "tau"_a);
}
