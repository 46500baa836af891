#pragma once

#include <nanobind/nanobind.h>

void bind_reorder(nanobind::module_& module);
