#pragma once

#include <nanobind/nanobind.h>

// What a fit of a model's parameters asks of a walk.
void bind_fitting(nanobind::module_& module);
