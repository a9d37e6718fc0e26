// What nearly every test that calls the program includes. Every source pays for templates of such a header that it does
// not use, for those of nlohmann's json nearly a second: tests that do not read summaries have them not. Not fmt: its
// own #pragma GCC optimize leaves __OPTIMIZE__ defined behind a header that is precompiled without optimisation.
#pragma once
#include <nlohmann/json.hpp>

#include "precompiled.hpp"
