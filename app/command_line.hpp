#pragma once
#include "base/error.hpp"

namespace tessera::app {

/// Parses the command line and carries out its command. Throws Error(usage) for a wrong one.
ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace tessera::app
