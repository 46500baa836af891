#pragma once

#include <nanobind/nanobind.h>

// What crosses the levels of a machine, and the regions that ranks are in there.
void bind_crossings(nanobind::module_& module);
