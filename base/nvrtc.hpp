#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The part of NVRTC that compiles a source of CUDA C++ to a cubin. The library is loaded at run time, so that the
/// program runs without it. Of CUDA builds; compiling needs no GPU.
class Nvrtc {
 public:
  /// Without a name: libnvrtc.so of the toolkit's version, in the linker's path or in /usr/local/cuda, or what the
  /// environment variable TESSERA_NVRTC names. Loaded once for each name and kept.
  static const Nvrtc& library(const std::string& file = "");

  explicit Nvrtc(const std::string& file);
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;

  bool usable() const { return problem_.empty(); }
  /// Why it is not usable: "libnvrtc.so.13 cannot be loaded (...)".
  const std::string& problem() const { return problem_; }
  /// "13.0" where it is usable.
  const std::string& version() const { return version_; }

  /// The cubin (empty for a virtual architecture such as compute_90), or nothing where the compiler fails, whose words
  /// are then in `problem`. Safe to call from threads.
  std::optional<std::string> compile(const std::string& source, const std::vector<std::string>& options,
                                     std::string& problem) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string problem_, version_;
};

}  // namespace tessera
