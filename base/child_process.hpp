#pragma once
// Work that may crash, hang, eat all memory or end the process (a library on a damaged file) is done in a process of
// its own.
#include <cstddef>
#include <functional>
#include <string>

namespace tessera {

/// The way of a result from the child to the parent: a pipe, so that nothing is held twice for long and no file is
/// made.
class ChildSink {
 public:
  explicit ChildSink(int handle) : handle_(handle) {}
  /// Ends the child where the parent is gone.
  void write(const void* bytes, std::size_t size);

  // For run_in_child: tells how the work ended, without bytes of the result.
  void write_mark(char mark);
  void write_bare(const void* bytes, std::size_t size);

 private:
  int handle_;
  bool started_ = false;
};

class ChildProcess;

/// The parent's end of the pipe.
class ChildSource {
 public:
  explicit ChildSource(ChildProcess& child) : child_(child) {}
  /// Waits for the bytes; throws what became of the child where it ended before them.
  void read(void* bytes, std::size_t size);

 private:
  ChildProcess& child_;
};

/// A piece of work for a child process, and what it may use.
struct ChildTask {
  std::string program;  ///< who works, for messages: "Gmsh"
  std::string what;     ///< what it does, for messages: "reading part.step"
  /// In the child: does the work and writes the result. What it throws travels: an Error as it is, anything else as
  /// Error(internal).
  std::function<void(ChildSink&)> work;
  /// In the parent: reads the result.
  std::function<void(ChildSource&)> result;
  /// In the parent: each line that the child writes to its standard output or error.
  std::function<void(const std::string&)> line = {};
  /// In the parent, some ten times a second and after each signal: true ends the child and throws Error(interrupted).
  std::function<bool()> stop = {};
  double cpu_seconds = 0;       ///< of CPU; 0: no limit. Beyond it: Error(mesh) with `cpu_help`
  std::string cpu_help = {};    ///< what to do where that is too little
  std::string crash_help = {};  ///< what to do where the child crashed
  bool trusted = false;         ///< the work may write files, start programs and wait for them
};

/// Runs the task in a child of this process and returns when its result is read. The child is a fork: it has the
/// parent's memory and none of its threads, so it must use no CUDA and no thread pool of the parent. It gets the
/// machine's free memory as a limit of its address space (or the limit of the parent, where that is less), ends with
/// the parent, and writes no core. Its standard output and error go to `line`.
///
/// Throws what the work threw; Error(mesh) with the child's last words where it crashed, called exit(), or used up its
/// time, or slept for a minute without a wake; Error(memory) where it failed with its memory used up or was killed by
/// the system; Error(interrupted) after stop.
void run_in_child(const ChildTask& task);

/// In a child: from now on it may use so many seconds of CPU more, as ChildTask::cpu_seconds.
void allow_cpu_seconds(double seconds);

/// In a child: bytes that its address space may still grow by are at least so many. True outside of a child without a
/// limit.
bool address_space_left(std::size_t bytes);

}  // namespace tessera
