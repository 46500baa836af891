#pragma once

#include <nanobind/nanobind.h>

// Machine, Placement, and Shape, which most functions about a choice take as an argument.
void bind_topology(nanobind::module_& module);
