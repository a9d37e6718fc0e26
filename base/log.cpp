#include "base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/console.hpp"
#include "base/muted.hpp"

namespace tessera {

namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_color_mt("tessera");
    made->set_pattern("%^%l%$: %v");
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

std::vector<std::string>& kept() {
  static std::vector<std::string> messages;
  return messages;
}

bool muted = false;

}  // namespace

Muted::Muted() : before_(muted) { muted = true; }
Muted::~Muted() { muted = before_; }

void set_log_level(const std::string& level) {
  logger().set_level(level == "quiet"   ? spdlog::level::warn
                     : level == "debug" ? spdlog::level::debug
                                        : spdlog::level::info);
}

void log_info(const std::string& message) {
  if (muted || !logger().should_log(spdlog::level::info)) return;
  const console::Hold hold;
  logger().info("{}", message);
}
void log_debug(const std::string& message) {
  if (muted || !logger().should_log(spdlog::level::debug)) return;
  const console::Hold hold;
  logger().debug("{}", message);
}

void warn(const std::string& message) {
  if (muted) return;
  kept().push_back(message);
  const console::Hold hold;
  logger().warn("{}", message);
}

const std::vector<std::string>& warnings() { return kept(); }
void clear_warnings() { kept().clear(); }

}  // namespace tessera
