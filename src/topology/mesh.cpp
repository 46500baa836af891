#include "topology/mesh.h"

#include <algorithm>
#include <cstdlib>

namespace toccata {

int Mesh::cells() const {
  int result = 1;
  for (const int size : dims) result *= size;
  return result;
}

std::vector<int> Mesh::coordinates(int cell) const {
  std::vector<int> result(dims.size());
  for (int i = dimensions() - 1; i >= 0; --i) {
    result[i] = cell % dims[i];
    cell /= dims[i];
  }
  return result;
}

int Mesh::cell(const std::vector<int>& coordinates) const {
  int result = 0;
  for (int i = 0; i < dimensions(); ++i) result = result * dims[i] + coordinates[i];
  return result;
}

std::vector<int> Mesh::neighbors(int cell) const {
  std::vector<int> result;
  for (int i = 0; i < dimensions(); ++i)
    for (const int step : {-1, 1}) {
      std::vector<int> there = coordinates(cell);
      there[i] += step;
      const bool is_inside = there[i] >= 0 && there[i] < dims[i];
      there[i] = (there[i] + dims[i]) % dims[i];
      result.push_back(is_inside || periodic[i] ? this->cell(there) : -1);
    }
  return result;
}

int Mesh::hops(int from, int to) const {
  int result = 0;
  for (int i = dimensions() - 1; i >= 0; --i) {
    const int distance = std::abs(from % dims[i] - to % dims[i]);
    result += periodic[i] ? std::min(distance, dims[i] - distance) : distance;
    from /= dims[i];
    to /= dims[i];
  }
  return result;
}

}  // namespace toccata
