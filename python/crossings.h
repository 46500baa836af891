#pragma once

#include <nanobind/nanobind.h>

// The traffic across the levels of a machine, and the regions of the ranks there.
void bind_crossings(nanobind::module_& module);
