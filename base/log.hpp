#pragma once
#include <string>
#include <vector>

namespace tessera {

/// Sets the level by name: "quiet" (warnings and errors), "info", "debug". Log lines go to stderr.
void set_log_level(const std::string& level);
void log_info(const std::string& message);
void log_debug(const std::string& message);

/// Logs a warning and keeps it for the summary.
void warn(const std::string& message);
const std::vector<std::string>& warnings();
void clear_warnings();

}  // namespace tessera
