#include "costs/model.h"

namespace toccata {

Model hockney(double alpha, double beta) {
  return {.name = "hockney",
          .origin = "",
          .levels = {{.name = "network",
                      .eager = {.alpha = alpha, .beta = beta, .g = alpha},
                      .rendezvous = {.alpha = alpha, .beta = beta, .g = alpha}}}};
}

std::vector<std::string> term_names(const Model& model) {
  const Terms terms(model);
  std::vector<std::string> names(terms.number());
  for (int level = 0; level < static_cast<int>(model.levels.size()); ++level) {
    const std::string& of = model.levels[level].name;
    for (const bool rendezvous : {false, true}) {
      const std::string protocol = of + (rendezvous ? ".rendezvous." : ".eager.");
      names[terms.alpha(level, rendezvous)] = protocol + "alpha";
      names[terms.beta(level, rendezvous)] = protocol + "beta";
      names[terms.o(level, rendezvous)] = protocol + "o";
      names[terms.g(level, rendezvous)] = protocol + "g";
    }
    names[terms.injection(level)] = of + ".injection";
  }
  names[terms.gamma()] = "gamma";
  names[terms.copy()] = "copy";
  names[terms.pack()] = "pack";
  names[terms.start()] = "start";
  names[terms.fresh()] = "fresh";
  names[terms.publishing()] = "publishing.latency";
  names[terms.write()] = "publishing.write";
  names[terms.read()] = "publishing.read";
  return names;
}

std::vector<double> coefficients(const Model& model) {
  const Terms terms(model);
  std::vector<double> values(terms.number());
  for (int level = 0; level < static_cast<int>(model.levels.size()); ++level) {
    const Model::Level& of = model.levels[level];
    for (const bool rendezvous : {false, true}) {
      const Protocol& protocol = rendezvous ? of.rendezvous : of.eager;
      values[terms.alpha(level, rendezvous)] = protocol.alpha;
      values[terms.beta(level, rendezvous)] = protocol.beta;
      values[terms.o(level, rendezvous)] = protocol.o;
      values[terms.g(level, rendezvous)] = protocol.g;
    }
    values[terms.injection(level)] = 1 / of.injection;
  }
  values[terms.gamma()] = model.gamma;
  values[terms.copy()] = model.copy;
  values[terms.pack()] = model.pack;
  values[terms.start()] = model.start;
  values[terms.fresh()] = model.fresh;
  if (model.publishing) {
    values[terms.publishing()] = model.publishing->latency;
    values[terms.write()] = model.publishing->write;
    values[terms.read()] = model.publishing->read;
  }
  return values;
}

}  // namespace toccata
