#include "base/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "base/go_on_together.hpp"
#include "base/memory.hpp"

namespace tessera {

template <class Archive>
static void describe(Archive& archive, Position& p) {
  archive(p.file, p.line, p.column, p.text, p.length);
}

namespace {

struct Failure {
  ExitCode code = ExitCode::ok;
  std::string what, help;
  std::optional<Position> where;
};
template <class Archive>
void describe(Archive& archive, Failure& f) {
  archive(f.code, f.what, f.help, f.where);
}

Failure outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {error.code(), error.what(), error.help(), error.where()};
  } catch (const std::bad_alloc&) {
    const Error error = out_of_host_memory();
    return {error.code(), error.what(), error.help(), {}};
  } catch (const std::exception& error) {
    return {ExitCode::internal,
            fmt::format("internal: {}", error.what()),
            "this is a fault of the program; please report it with the deck",
            {}};
  }
}

struct Sink {
  std::string& text;
  void write(const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }
};
struct Source {
  const std::string& text;
  std::size_t at = 0;
  void read(void* data, std::size_t size) {
    text.copy(static_cast<char*>(data), size, at);
    at += size;
  }
};

thread_local bool together = false;  // a thread of its own is a rank of tests

/// Throws the failure of the lowest rank that has one.
void settle(Communicator& ranks, Failure mine) {
  const std::vector<ExitCode> codes = gathered(ranks, mine.code);
  const auto failed = [](ExitCode code) { return code != ExitCode::ok; };
  const auto first = std::find_if(codes.begin(), codes.end(), failed);
  if (first == codes.end()) return;
  together = true;
  const bool all = std::all_of(codes.begin(), codes.end(), failed);
  const auto rank = static_cast<int>(first - codes.begin());
  std::string text;
  if (rank == ranks.rank()) {
    Sink sink{text};
    ArchiveWriter<Sink> archive(sink);
    archive(mine);
  } else {
    mine.code = ExitCode::ok;
  }
  text = first_text(ranks, text);
  Source source{text};
  ArchiveReader<Source> archive(source);
  archive(mine);
  throw Error(mine.code, all || rank == 0 ? mine.what : fmt::format("rank {} of {}: {}", rank, ranks.size(), mine.what),
              mine.help, mine.where);
}

}  // namespace

bool have_failed_together() { return together; }
void go_on_together() { together = false; }

void on_root(Communicator& ranks, const std::function<void()>& work) {
  settle(ranks, ranks.is_root() ? outcome_of(work) : Failure());
}

void on_each_rank(Communicator& ranks, const std::function<void()>& work) { settle(ranks, outcome_of(work)); }

}  // namespace tessera
