#pragma once

#include <nanobind/nanobind.h>

void bind_selection(nanobind::module_& module);
