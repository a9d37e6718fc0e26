#pragma once

namespace tessera::app {

/// From now on: every request of operator new that fails is known to the message; what ends the program elsewhere (a
/// library that throws where nothing may be thrown) for want of memory ends it with that exit code; and some memory is
/// kept in reserve for the message.
void prepare_for_want_of_memory();

}  // namespace tessera::app
