#include "mesh/gmsh_reader_session.hpp"

#include <fmt/format.h>
#include <gmsh.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::mesh {

namespace {

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

}  // namespace

GmshSession::GmshSession() {
  std::vector<std::pair<int, struct sigaction>> handlers;  // those of the child, not Gmsh's
  for (int signal : {SIGINT, SIGTERM, SIGSEGV, SIGABRT, SIGFPE}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    handlers.emplace_back(signal, action);
  }
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 1);
  gmsh::option::setNumber("General.Verbosity", 5);
  gmsh::option::setNumber("General.AbortOnError", 0);  // thrown out of its parser, an error would hide the later ones
  gmsh::option::setNumber("General.NumThreads", 1);
  for (const char* name : {"Mesh.MaxNumThreads1D", "Mesh.MaxNumThreads2D", "Mesh.MaxNumThreads3D"})
    gmsh::option::setNumber(name, 1);
  gmsh::logger::start();
  for (const auto& [signal, action] : handlers) sigaction(signal, &action, nullptr);
}

void GmshSession::call(const std::string& what, const std::string& help, std::size_t sane_bytes,
                       const std::function<void()>& work) {
  std::string thrown;
  bool failed = false, short_of_memory = false;
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    short_of_memory = true;
  } catch (const std::length_error&) {
    short_of_memory = true;
  } catch (const std::exception& error) {
    failed = true;
    thrown = error.what();
  } catch (const std::string& error) {
    failed = true;
    thrown = error;
  } catch (...) {  // Gmsh 4.8 throws integers
    failed = true;
  }
  if (short_of_memory) {
    if (sane_bytes > 0 && address_space_left(sane_bytes))
      throw Error(ExitCode::mesh, what + ": Gmsh asks for more memory than there is, as a damaged file makes it do",
                  help);
    throw out_of_host_memory();
  }
  const std::vector<std::string> errors = messages("Error");
  if (!failed && errors.empty()) return;
  const std::string text = !errors.empty() ? errors.front() : thrown.empty() ? "no reason given" : thrown;
  // Gmsh has words of its own for a want of memory, or another reason.
  if (!address_space_left(std::size_t{64} << 20)) {
    const Error memory = out_of_host_memory();
    throw Error(memory.code(), fmt::format("{}: {} (Gmsh says: {})", what, memory.what(), text), memory.help());
  }
  throw Error(ExitCode::mesh, fmt::format("{}: Gmsh says: {}", what, text), help);
}

std::vector<std::string> GmshSession::warnings() const { return messages("Warning"); }

}  // namespace tessera::mesh
