#pragma once
#include <string>

#include "output/summary.hpp"

namespace tessera::app {

/// What a run ends with on standard output: its errors and quantities, sizes, seconds and GB/s of each phase,
/// memory. From a finished summary; what was not computed is left out.
std::string closing_report(const output::Summary& summary);

}  // namespace tessera::app
