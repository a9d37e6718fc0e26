// What most of the program's sources include, compiled once (TesseraStage.cmake). Sources name what they use all the
// same: builds without it (TESSERA_PRECOMPILE=OFF, as in the preset dev) see what they leave out.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
