#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "costs/model.h"

namespace toccata {

// The file, its field, and the error: "gigabit.json: levels[1].eager.beta is missing".
class ModelError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// A model as JSON. The fields have the names of model.h. The units are seconds and bytes, and bytes
// per second for "injection".
//
//   {"name": "...", "origin": "...",
//    "levels": [{"level": "network", "eager": {"alpha": 5e-5, "beta": 8.5e-9}},
//               {"level": "node", "injection": 1.2e10, "threshold": 8192,
//                "eager": {"alpha": 1e-6, "beta": 2e-10, "o": 2e-7},
//                "rendezvous": {"alpha": 4e-6, "beta": 1e-10, "tau": 0.5}}],
//    "gamma": 2e-10, "copy": 1e-10, "pack": 3e-10}
//
// "levels" begins with "network". "threshold" and "rendezvous" require each other. All other fields
// except alpha and beta are optional. Error messages name `file`.
Model parse_model(std::string_view json, std::string_view file);

// The JSON of a model; every number is written so that reading it gives the same value.
std::string json(const Model& model);

// ModelError if the file cannot be read, or is not a model.
Model read_model(const std::string& path);

// Whether a file can be read and contains the levels of a model, rather than the points of a tuning
// file.
bool is_model(const std::string& path);

}  // namespace toccata
