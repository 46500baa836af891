#pragma once

#include <nanobind/nanobind.h>

void bind_walks(nanobind::module_& module);
