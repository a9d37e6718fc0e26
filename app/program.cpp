#include "app/program.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "app/command_line.hpp"
#include "base/memory.hpp"

namespace tessera::app {

int run_program(int argc, const char* const* argv) {
  // A file that hits the size limit is an error of the write that we report, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  keep_freed_memory();
  try {
    return static_cast<int>(run_command_line(argc, argv));
  } catch (const Error& error) {
    std::fputs(error.report().c_str(), stderr);
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fputs(out_of_host_memory().report().c_str(), stderr);
    return static_cast<int>(ExitCode::memory);
  } catch (const std::exception& error) {
    const Error report(ExitCode::internal, fmt::format("internal: {}", error.what()),
                       "this is a fault of the program; please report it with the deck");
    std::fputs(report.report().c_str(), stderr);
    return static_cast<int>(report.code());
  }
}

}  // namespace tessera::app
