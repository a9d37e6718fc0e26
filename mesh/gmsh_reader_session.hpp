#pragma once
// Gmsh is a library with one global state: a session is its life from start to end.
#include <csignal>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tessera::mesh {

/// Starts Gmsh silent, on one thread (repeatable meshes), and ends it with the scope. Signal handlers and the number of
/// OpenMP threads, which Gmsh touches, are put back.
class GmshSession {
 public:
  GmshSession();
  ~GmshSession();
  GmshSession(const GmshSession&) = delete;

  /// Runs `work`; where Gmsh throws, or logs an error, throws Error(mesh, "what: Gmsh's text", help).
  void call(const std::string& what, const std::string& help, const std::function<void()>& work);
  /// What Gmsh warned of so far.
  std::vector<std::string> warnings() const;

 private:
  std::unique_lock<std::mutex> lock_;
  int threads_;
  std::vector<std::pair<int, struct sigaction>> handlers_;
};

}  // namespace tessera::mesh
