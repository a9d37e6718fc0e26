#include "app/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>

#include "app/command_line.hpp"
#include "app/out_of_memory.hpp"
#include "app/ranks.hpp"
#include "base/console.hpp"
#include "base/memory.hpp"

namespace tessera::app {
namespace {

constexpr const char* commands_of_all_ranks[] = {"run", "restart", "check"};

/// A closed standard file's number would go to the next file that is opened, a result for instance. The stand-ins
/// are opened the wrong way round, so that reading and writing fail as they should.
void hold_standard_files() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int file = 0; file < 3; ++file)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) (void)!::open("/dev/null", modes[file]);
}

/// What was printed and did not arrive is an error, too. A reader that has closed its end of a pipe has seen enough
/// and is told nothing.
ExitCode after_output(ExitCode code, int reason_of_throw) {
  errno = 0;
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  const int reason = errno != 0 ? errno : reason_of_throw;
  if (!lost || code != ExitCode::ok) return code;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (reason == EPIPE || (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0)) return ExitCode::file_system;
  const std::string why = reason != 0 ? fmt::format(": {}", std::strerror(reason)) : std::string();
  return report(Error(ExitCode::file_system, fmt::format("cannot write to standard output{}", why),
                      "what was printed is lost: send it elsewhere, or free space there"));
}

ExitCode run_and_report(int argc, const char* const* argv, int& reason_of_throw) {
  try {
    return run_command_line(argc, argv);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(out_of_host_memory());
  } catch (const std::exception& error) {
    // fmt throws where a text cannot be written.
    if (const auto* system = dynamic_cast<const std::system_error*>(&error)) reason_of_throw = system->code().value();
    if (std::ferror(stdout) != 0) return ExitCode::ok;
    return report(Error(ExitCode::internal, fmt::format("internal: {}", error.what()),
                        "this is a fault of the program; please report it with the deck"));
  }
}

}  // namespace

Error as_error(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&error)) return out_of_host_memory();
  return Error(ExitCode::internal, fmt::format("internal: {}", error.what()),
               "this is a fault of the program; please report it with the deck");
}

ExitCode report(const Error& error) {
  // One that was asked to stop has been told so.
  if (error.code() != ExitCode::interrupted && error.code() != ExitCode::terminated) console::say(error.report());
  return error.code();
}

int run_program(int argc, const char* const* argv) {
  // A file that hits the size limit and a pipe without a reader are errors of the write that we report, not deaths.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  hold_standard_files();
  // Started by mpirun, a command other than those that all ranks carry out is that of the first rank.
  const bool is_of_all = argc > 1 && std::any_of(std::begin(commands_of_all_ranks), std::end(commands_of_all_ranks),
                                                 [&](const char* name) { return std::strcmp(argv[1], name) == 0; });
  if (fall_silent_beside_root() && argc > 1 && !is_of_all) return 0;
  std::clearerr(stdout);
  keep_freed_memory();
  prepare_for_want_of_memory();
  try {
    int reason = 0;
    const ExitCode code = run_and_report(argc, argv, reason);
    return static_cast<int>(after_output(code, reason));
  } catch (...) {  // no memory for the report itself
    end_without_memory();
  }
}

}  // namespace tessera::app
