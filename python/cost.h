#pragma once

#include <nanobind/nanobind.h>

void bind_cost(nanobind::module_& module);
