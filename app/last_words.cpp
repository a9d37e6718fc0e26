#include "app/last_words.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/host_memory.hpp"
#include "output/results.hpp"

namespace tessera::app {
namespace {

/// Texts that a handler may read while the next are made: they are never changed, and live until those after them are
/// set.
struct Texts {
  std::string interrupted, ended, failed;
  std::size_t code_at = 0, code_of_ended_at = 0, message_at = 0;  ///< where "130" and the message stand
};
std::array<Texts, 2> texts;
std::atomic<int> current{-1};       ///< of `texts`; -1: none yet
std::atomic<bool> are_said{false};  ///< whether a text is being written, so that none may change any more
std::atomic<pid_t> owner{0};        ///< whose run it is; 0: there is none
char file_name[PATH_MAX] = "", temporary_name[PATH_MAX] = "";
static_assert(std::atomic<pid_t>::is_always_lock_free);

constexpr std::string_view code_of_sigint = "\"exit_code\": 130";

/// A file under a temporary name that gets its own when it is whole.
class Writer {
 public:
  Writer() noexcept : file_(::open(temporary_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  void write(std::string_view text) noexcept {
    while (whole_ && !text.empty()) {
      const ssize_t count = file_ < 0 ? -1 : ::write(file_, text.data(), text.size());
      whole_ = count > 0;
      if (whole_) text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// As the inside of a JSON string; what it cannot hold becomes a question mark.
  void write_escaped(const char* text) noexcept {
    for (; *text; ++text) {
      if (*text == '"' || *text == '\\') write("\\");
      write(static_cast<unsigned char>(*text) < ' ' ? std::string_view("?") : std::string_view(text, 1));
    }
  }
  void finish() noexcept {
    if (file_ < 0) return;
    ::close(file_);
    if (!whole_ || ::rename(temporary_name, file_name) != 0) ::unlink(temporary_name);
  }

 private:
  int file_;
  bool whole_ = true;
};

/// Into a writer that is open: all but the message stands there already.
void write_failure(Writer& writer, const char* what) noexcept {
  are_said = true;
  std::string_view before = "{\n  \"status\": \"error\",\n  \"error\": \"", after = "\",\n  \"exit_code\": 5\n}\n";
  if (const int of = current; of >= 0) {
    const Texts& text = texts[static_cast<std::size_t>(of)];
    before = std::string_view(text.failed).substr(0, text.message_at);
    after = std::string_view(text.failed).substr(text.message_at + std::strlen(LastWords::message));
  }
  writer.write(before);
  writer.write_escaped(what);
  writer.write(after);
  writer.finish();
}

/// The last act of a process without memory. The file of the summary is opened before none can be.
void write_before_end(const char* what) noexcept {
  if (owner != getpid()) return;
  Writer writer;
  output::remove_results_for_good();
  write_failure(writer, what);
  owner = 0;
}

}  // namespace

void LastWords::begin(const std::filesystem::path& folder) noexcept {
  owner = 0;
  current = -1;
  are_said = false;
  const char* const name = folder.c_str();
  constexpr std::string_view hidden = "/.summary.json.last.tmp";
  if (std::strlen(name) + hidden.size() >= PATH_MAX) return;
  std::snprintf(file_name, sizeof file_name, "%s/summary.json", name);
  std::snprintf(temporary_name, sizeof temporary_name, "%s%s", name, hidden.data());
  owner = getpid();
  call_before_end_without_memory(write_before_end);
}

void LastWords::set(std::string interrupted, std::string ended, std::string failed) {
  if (are_said) return;  // by another thread, which reads the text before the next
  const int next = current == 0 ? 1 : 0;
  Texts& of = texts[static_cast<std::size_t>(next)];
  of.interrupted = std::move(interrupted);
  of.ended = std::move(ended);
  of.failed = std::move(failed);
  of.code_at = of.interrupted.find(code_of_sigint);
  of.code_of_ended_at = of.ended.find(code_of_sigint);
  of.message_at = of.failed.find(message);
  for (const std::size_t at : {of.code_at, of.code_of_ended_at, of.message_at})
    if (at == std::string::npos) return;
  of.code_at += code_of_sigint.size() - 3;
  of.code_of_ended_at += code_of_sigint.size() - 3;
  current = next;
}

void LastWords::end() noexcept { owner = 0; }

void LastWords::write_of_signal(int signal, bool by_launcher) noexcept {
  are_said = true;
  const int of = current;
  if (owner != getpid() || of < 0) return output::remove_results_for_good();
  Writer writer;
  output::remove_results_for_good();
  const Texts& text = texts[static_cast<std::size_t>(of)];
  const std::string_view words = by_launcher ? text.ended : text.interrupted;
  const std::size_t code_at = by_launcher ? text.code_of_ended_at : text.code_at;
  writer.write(words.substr(0, code_at));
  writer.write(signal == SIGTERM ? "143" : "130");
  writer.write(words.substr(code_at + 3));
  writer.finish();
}

void LastWords::write_of_failure(const char* what) noexcept {
  if (owner != getpid()) return;
  output::remove_results_from_signal();
  Writer writer;
  write_failure(writer, what);
  owner = 0;
}

}  // namespace tessera::app
