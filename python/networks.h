#pragma once

#include <nanobind/nanobind.h>

void bind_networks(nanobind::module_& module);
