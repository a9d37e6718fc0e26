// What nearly every test includes, compiled once for each level of optimisation (tests/CMakeLists.txt). Sources name
// what they use all the same: builds without it (TESSERA_PRECOMPILE=OFF, as in the preset dev) see what they leave out.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>
