#pragma once

#include <nanobind/nanobind.h>

// Machine, Placement, and Shape, which everything that is asked of a choice takes.
void bind_topology(nanobind::module_& module);
