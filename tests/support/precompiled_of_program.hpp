// What nearly every test that calls the program includes. Every source pays for templates of such a header that it does
// not use, for those of nlohmann's json nearly a second: tests that do not read summaries have them not.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "precompiled.hpp"
