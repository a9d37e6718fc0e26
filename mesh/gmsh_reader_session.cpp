#include "mesh/gmsh_reader_session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmsh.h>
#include <omp.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/error.hpp"

namespace tessera::mesh {

namespace {

std::mutex one_session;

// Messages of one level ("Error", "Warning") that Gmsh logged, without the level.
std::vector<std::string> messages(const std::string& level) {
  std::vector<std::string> log, result;
  gmsh::logger::get(log);
  for (const std::string& line : log)
    if (line.rfind(level, 0) == 0) {
      const std::size_t text = line.find_first_not_of(": ", level.size());
      result.push_back(text == std::string::npos ? line : line.substr(text));
    }
  return result;
}

// OpenCASCADE writes to the standard output whatever Gmsh is told: it goes nowhere while this lives.
class SilentOutput {
 public:
  SilentOutput() {
    flush();
    saved_ = dup(STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (saved_ >= 0 && nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0) close(nowhere);
  }
  ~SilentOutput() {
    flush();
    if (saved_ < 0) return;
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }
  int saved_ = -1;
};

}  // namespace

GmshSession::GmshSession() : lock_(one_session), threads_(omp_get_max_threads()) {
  for (int signal : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGFPE}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    handlers_.emplace_back(signal, action);
  }
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::option::setNumber("General.Verbosity", 2);
  gmsh::option::setNumber("General.AbortOnError", 0);  // thrown out of its parser, an error would spoil the next file
  gmsh::option::setNumber("General.NumThreads", 1);
  for (const char* name : {"Mesh.MaxNumThreads1D", "Mesh.MaxNumThreads2D", "Mesh.MaxNumThreads3D"})
    gmsh::option::setNumber(name, 1);
  gmsh::logger::start();
  for (const auto& [signal, action] : handlers_) sigaction(signal, &action, nullptr);
}

GmshSession::~GmshSession() {
  try {
    gmsh::logger::stop();
    gmsh::clear();
    gmsh::finalize();
  } catch (...) {  // nothing of ours depends on how it ends
  }
  for (const auto& [signal, action] : handlers_) sigaction(signal, &action, nullptr);
  omp_set_num_threads(threads_);
}

void GmshSession::call(const std::string& what, const std::string& help, const std::function<void()>& work) {
  std::string thrown;
  bool failed = false;
  try {
    const SilentOutput silent;
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ExitCode::memory, what + ": out of memory", "use a coarser mesh or a machine with more memory");
  } catch (const std::exception& error) {
    failed = true;
    thrown = error.what();
  } catch (const std::string& error) {
    failed = true;
    thrown = error;
  } catch (...) {  // Gmsh 4.8 throws integers
    failed = true;
  }
  const std::vector<std::string> errors = messages("Error");
  if (!failed && errors.empty()) return;
  const std::string text = !errors.empty() ? errors.front() : thrown.empty() ? "no reason given" : thrown;
  throw Error(ExitCode::mesh, fmt::format("{}: Gmsh says: {}", what, text), help);
}

std::vector<std::string> GmshSession::warnings() const { return messages("Warning"); }

}  // namespace tessera::mesh
