#pragma once

namespace tessera::app {

/// The whole program: runs the command line, reports what it throws on stderr and returns the exit code. Never throws.
int run_program(int argc, const char* const* argv);

}  // namespace tessera::app
