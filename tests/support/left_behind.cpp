// What tests leave in the folder for temporary files goes when their program ends: all that is called
// tessera_<something>_<process>, but for what the message of a failed test names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Keeps the messages of what fails.
class Messages : public ::testing::EmptyTestEventListener {
 public:
  explicit Messages(std::vector<std::string>& all) : all_(all) {}

 private:
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed()) all_.emplace_back(result.message());
  }
  std::vector<std::string>& all_;
};

class LeftBehind {
 public:
  /// GoogleTest is there before this and goes after it.
  LeftBehind() { ::testing::UnitTest::GetInstance()->listeners().Append(new Messages(messages_)); }
  ~LeftBehind() {
    if (::getpid() != process_) return;  // a child has its parent's folders
    sweep(::testing::TempDir());
    std::error_code none;
    const fs::path other = fs::temp_directory_path(none);
    if (!none) sweep(other);
  }

 private:
  bool is_named(const std::string& path) const {
    return std::any_of(messages_.begin(), messages_.end(),
                       [&](const std::string& message) { return message.find(path) != std::string::npos; });
  }

  void sweep(const fs::path& folder) const {
    const std::string end = "_" + std::to_string(process_);
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), last; !code && entry != last; entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      if (!name.starts_with("tessera_") || !name.ends_with(end)) continue;
      remove_but_named(entry->path());
    }
  }

  /// Of a folder that a message names, what it names there stays, and all of it where it names nothing in it.
  void remove_but_named(const fs::path& path) const {
    std::error_code none;
    if (!is_named(path.string())) {
      fs::remove_all(path, none);
      return;
    }
    std::vector<fs::path> inside;
    for (fs::directory_iterator entry(path, none), last; !none && entry != last; entry.increment(none))
      inside.push_back(entry->path());
    if (std::none_of(inside.begin(), inside.end(), [&](const fs::path& one) { return is_named(one.string()); })) return;
    for (const fs::path& one : inside)
      if (!is_named(one.string())) fs::remove_all(one, none);
  }

  const pid_t process_ = ::getpid();
  std::vector<std::string> messages_;
};

const LeftBehind left_behind;

}  // namespace
