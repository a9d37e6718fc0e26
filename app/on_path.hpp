#pragma once
#include <string>

namespace tessera::app {

/// Where the shell would find a program; empty: nowhere.
std::string find_on_path(const std::string& program);

}  // namespace tessera::app
