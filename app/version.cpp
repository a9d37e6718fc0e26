#include "app/version.hpp"

namespace tessera::app {

const char* version() { return TESSERA_VERSION; }

}  // namespace tessera::app
