#pragma once
#include <exception>

#include "base/error.hpp"

namespace tessera::app {

/// What is reported of it, as an Error: so that summary, other ranks and terminal say the same.
Error as_error(const std::exception& error);

/// Says it on stderr, unless it is that of a run that was asked to stop; returns its code.
ExitCode report(const Error& error);

/// The whole program: runs the command line, reports what it throws on stderr and returns the exit code. Never throws.
int run_program(int argc, const char* const* argv);

}  // namespace tessera::app
