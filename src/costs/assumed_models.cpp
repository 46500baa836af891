#include "costs/assumed_models.h"

namespace toccata {

const Model& usual_model() {
  static const Model model = [] {
    Model usual;
    usual.name = "usual";
    usual.origin = "assumed parameters of a typical cluster";
    usual.levels = {
        {.name = "network",
         .threshold = 16384,
         .eager = {.alpha = 1.6e-6, .beta = 1e-10, .o = 2e-7, .g = 1e-7},
         .rendezvous = {.alpha = 4e-6, .beta = 1e-10, .o = 2e-7, .g = 1e-7}},
        {.name = "node",
         .threshold = 4096,
         .eager = {.alpha = 3e-7, .beta = 2e-10, .o = 5e-8, .g = 5e-8},
         .rendezvous = {.alpha = 1e-6, .beta = 1e-10, .o = 5e-8, .g = 5e-8},
         .injection = 1.2e10},
    };
    usual.publishing = {.latency = 1.5e-7, .write = 1e-10, .read = 1e-10};
    usual.gamma = 1e-10;
    usual.copy = 5e-11;
    usual.pack = 1e-10;
    return usual;
  }();
  return model;
}

const std::vector<Model>& ethernets() {
  struct Speed {
    const char* name;
    double alpha, o, beta, injection;  // seconds, seconds, seconds per byte, bytes per second
  };
  static const std::vector<Model> all = [] {
    std::vector<Model> found;
    for (const Speed& each : {Speed{"Ethernet, 100 Gb/s", 1.2e-5, 3e-6, 3e-10, 1e10},
                              Speed{"Ethernet, 10 Gb/s", 2e-5, 4e-6, 1e-9, 1.15e9},
                              Speed{"Ethernet, 1 Gb/s", 2.5e-5, 5e-6, 8.5e-9, 1.18e8}}) {
      Model model = usual_model();
      model.name = each.name;
      model.origin = "the usual model with Ethernet";
      model.levels[0].threshold = 65536;
      model.levels[0].eager = {.alpha = each.alpha, .beta = each.beta, .o = each.o};
      model.levels[0].rendezvous = {.alpha = 2.5 * each.alpha, .beta = each.beta, .o = each.o};
      model.levels[1].injection = each.injection;
      found.push_back(model);
    }
    return found;
  }();
  return all;
}

}  // namespace toccata
