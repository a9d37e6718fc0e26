#pragma once
// Gmsh is a library with one global state: a session is its life in a child process (base/child_process.hpp), which
// ends with it.
#include <functional>
#include <string>
#include <vector>

namespace tessera::mesh {

/// Starts Gmsh on one thread (repeatable meshes). What it says goes to the standard output, which the parent hears.
class GmshSession {
 public:
  GmshSession();
  GmshSession(const GmshSession&) = delete;

  /// Runs `work`; where Gmsh throws, or logs an error, throws Error(mesh, "what: Gmsh's text", help). Where memory is
  /// short, throws Error(memory), but Error(mesh) where `sane_bytes` more were still to be had: then a damaged file
  /// asked for what no machine has.
  void call(const std::string& what, const std::string& help, std::size_t sane_bytes,
            const std::function<void()>& work);
  /// What Gmsh warned of so far.
  std::vector<std::string> warnings() const;
};

}  // namespace tessera::mesh
