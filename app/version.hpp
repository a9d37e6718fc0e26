#pragma once

namespace tessera::app {

/// The version of the program, as `tessera --version` has it.
const char* version();

}  // namespace tessera::app
