#pragma once

#include <nanobind/nanobind.h>

void bind_links(nanobind::module_& module);
