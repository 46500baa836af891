#pragma once

#include <nanobind/nanobind.h>

void bind_outside(nanobind::module_& module);
