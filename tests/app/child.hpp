#pragma once
// The program as a child process whose words are read while it runs: no test of these waits for a time.
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "app/program.hpp"

namespace app_test {

class Child {
 public:
  /// Where its standard output and error go; with the pipe it may lead a group, as a shell starts it.
  enum class Words { pipe, pipe_of_group, terminal };

  explicit Child(std::vector<std::string> arguments, Words words = Words::pipe) {
    arguments.insert(arguments.begin(), "tessera");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string path = program();
    int ends[2] = {-1, -1};
    if (words == Words::terminal) {
      winsize size{};
      size.ws_row = 50;
      size.ws_col = 120;
      pid_ = forkpty(&words_, nullptr, nullptr, &size);
    } else {
      if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
      pid_ = fork();
    }
    if (pid_ == 0) {
      if (words == Words::pipe_of_group) setpgid(0, 0);
      if (words != Words::terminal) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
      }
      setenv("TERM", "xterm", 1);
      setenv("OMP_NUM_THREADS", "2", 1);
      execv(path.c_str(), argv.data());
      _exit(99);
    }
    if (words != Words::terminal) {
      close(ends[1]);
      words_ = ends[0];
    }
  }
  ~Child() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    close(words_);
  }
  Child(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }
  void send_to_group(int signal) const { kill(-pid_, signal); }
  /// As somebody does at its terminal.
  void type(const std::string& keys) const { (void)!write(words_, keys.data(), keys.size()); }
  bool runs() const {
    siginfo_t state{};
    waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT);
    return state.si_pid == 0;
  }

  /// Reads until the child has said `part`; false where it ends before.
  bool wait_for(const std::string& part) {
    while (text_.find(part) == std::string::npos)
      if (!read_some()) return false;
    return true;
  }
  /// Reads all that it says; its exit code, 128 + signal where it died of one.
  Result end() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), text_};
  }

 private:
  bool read_some() {
    char chunk[4096];
    const ssize_t count = read(words_, chunk, sizeof chunk);
    if (count > 0) text_.append(chunk, static_cast<std::size_t>(count));
    return count > 0;  // a terminal whose child is gone gives an error instead of an end
  }

  pid_t pid_ = -1;
  int words_ = -1;
  std::string text_;
};

}  // namespace app_test
