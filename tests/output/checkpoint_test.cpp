#include "output/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/files.hpp"
#include "output/run_folder.hpp"
#include "support/full_disk.hpp"

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("tessera_checkpoint_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

template <class Act>
std::optional<Error> error_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return {};
}

/// Without a flush to the disk, which thousands of damaged files would wait for.
void write_bytes(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Reading refuses the file with this message, and verifying it with the same.
void expect_refused(const fs::path& path, const std::string& message) {
  for (const auto& error : {error_of([&] { read_checkpoint(path); }), error_of([&] { verify_checkpoint(path); })}) {
    ASSERT_TRUE(error) << "expected: " << message;
    EXPECT_EQ(error->code(), ExitCode::file_system);
    EXPECT_NE(std::string(error->what()).find(message), std::string::npos) << error->what();
    EXPECT_NE(std::string(error->what()).find(path.string()), std::string::npos) << error->what();
    EXPECT_FALSE(error->help().empty());
  }
}

Checkpoint of_step(std::int64_t step, std::size_t values = 4) {
  Checkpoint checkpoint;
  checkpoint.header = checkpoint_header("0.1.0", "title = \"a\"\n", 0.1 * static_cast<double>(step), step);
  checkpoint.arrays.push_back({"u", 2, std::vector<double>(values, static_cast<double>(step))});
  checkpoint.arrays.push_back({"nothing", 3, {}});
  return checkpoint;
}

TEST(Checkpoint, ComesBackBitByBit) {
  const fs::path path = fresh_folder("round_trip") / "a.tsr";
  constexpr auto least = std::numeric_limits<double>::denorm_min();
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  Checkpoint written;
  written.header = checkpoint_header("0.1.0", "title = \"caf\u00e9\"\n", 0.1 + 0.2, std::int64_t{1} << 60);
  written.header["scheme"] = {{"order", 2}, {"zero", -0.0}, {"least", least}};
  const double signalling = std::bit_cast<double>(0x7ff4000000000001u);
  written.arrays = {{"u", 2, {0.0, -0.0, least, -least, 1e308, 1.0 / 3}},
                    {"not numbers", 1, {std::nan("1"), -std::nan(""), signalling, infinity, -infinity}},
                    {"empty", 3, {}},
                    {"", 1, {1}}};
  std::vector<double> many(100001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<double>(i));
  written.arrays.push_back({"many", 1, many});
  write_checkpoint(path, written);
  const Checkpoint read = read_checkpoint(path);
  EXPECT_EQ(read.header.dump(), written.header.dump());
  EXPECT_EQ(read.header["t"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(read.header["step"].get<std::int64_t>(), std::int64_t{1} << 60);
  EXPECT_TRUE(std::signbit(read.header["scheme"]["zero"].get<double>()));
  EXPECT_EQ(read.header["scheme"]["least"].get<double>(), least);
  ASSERT_EQ(read.arrays.size(), written.arrays.size());
  for (std::size_t a = 0; a < read.arrays.size(); ++a) {
    const CheckpointArray &before = written.arrays[a], &after = read.arrays[a];
    EXPECT_EQ(after.name, before.name);
    EXPECT_EQ(after.components, before.components);
    ASSERT_EQ(after.values.size(), before.values.size());
    for (std::size_t i = 0; i < after.values.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(after.values[i]), std::bit_cast<std::uint64_t>(before.values[i]));
  }
  EXPECT_EQ(names_in(path.parent_path()), std::vector<std::string>{"a.tsr"});
}

TEST(Checkpoint, OfTheSameStateIsTheSameFile) {
  const fs::path folder = fresh_folder("same");
  write_checkpoint(folder / "a.tsr", of_step(3));
  write_checkpoint(folder / "b.tsr", of_step(3));
  EXPECT_EQ(read_text(folder / "a.tsr"), read_text(folder / "b.tsr"));
}

TEST(Checkpoint, ThatIsCutOffAnywhereIsRefused) {
  const fs::path path = fresh_folder("cut") / "a.tsr";
  write_checkpoint(path, of_step(3));
  const std::string whole = read_text(path);
  ASSERT_GT(whole.size(), 200u);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    write_bytes(path, whole.substr(0, length));
    expect_refused(path, length == 0   ? "it is empty"
                         : length < 8  ? "it is cut off"
                         : length < 40 ? "bytes are not even its beginning"
                                       : "it has " + std::to_string(length) + " of " + std::to_string(whole.size()));
  }
  write_bytes(path, whole + "x");
  expect_refused(path, "1 more than it should");
  write_bytes(path, whole);
  EXPECT_EQ(read_checkpoint(path).arrays[0].values, std::vector<double>(4, 3.0));
}

TEST(Checkpoint, WithOneWrongBitIsRefused) {
  const fs::path path = fresh_folder("bit") / "a.tsr";
  write_checkpoint(path, of_step(3));
  const std::string whole = read_text(path);
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
    write_bytes(path, damaged);
    SCOPED_TRACE(byte);
    const bool of_u = byte >= whole.size() - 48 && byte < whole.size() - 8;
    expect_refused(path, byte < 8                   ? "it is no checkpoint"
                         : byte < 40                ? "it is damaged: its first bytes"
                         : of_u                     ? "it is damaged: the array 'u'"
                         : byte >= whole.size() - 8 ? "it is damaged: the array 'nothing'"
                                                    : "it is damaged: its header");
  }
}

/// A file whose hashes are right, whatever it says of itself.
std::string forged(const std::string& text, const std::string& blocks, std::uint32_t version = 3) {
  const auto bytes = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  const std::uint64_t size = 40 + text.size() + 8 + blocks.size();
  const std::string start =
      "\x89TSR\r\n\x1a\n" + bytes(version) + bytes(std::uint32_t{0}) + bytes(size) + bytes(std::uint64_t{text.size()});
  return start + bytes(checkpoint_hash(start.data(), start.size())) + text +
         bytes(checkpoint_hash(text.data(), text.size())) + blocks;
}

TEST(Checkpoint, WhoseHeaderLiesIsRefused) {
  const fs::path path = fresh_folder("forged") / "a.tsr";
  const auto expect = [&](const std::string& file, const std::string& message) {
    SCOPED_TRACE(file);
    write_bytes(path, file);
    expect_refused(path, message);
  };
  const auto with = [](const std::string& arrays) {
    return forged("{\"header\":{},\"arrays\":" + arrays + "}", "12345678");
  };
  expect(forged("{}", "", 1), "its format has version 1; this program reads 3");
  expect(forged("", ""), "its header is not that of a checkpoint");
  expect(forged("{", ""), "its header is not that of a checkpoint");
  expect(forged(std::string(100000, '['), ""), "its header is not that of a checkpoint");
  expect(forged("{\"header\":{}}", ""), "its header is not that of a checkpoint");
  expect(with("3"), "its header is not that of a checkpoint");
  expect(with("[]"), "its header leaves 8 bytes without a name");
  for (const char* array : {"3", "{}", R"({"name":3,"components":1,"values":0})", R"({"name":"u","values":0})",
                            R"({"name":"u","components":-1,"values":0})", R"({"name":"u","components":1,"values":0.5})",
                            R"({"name":"u","components":1,"values":1e300})"})
    expect(with("[" + std::string(array) + "]"), "an array without name, components or number of values");
  for (const char* values : {"1", "2305843009213693952", "18446744073709551615"})
    expect(with(R"([{"name":"u","components":1,"values":)" + std::string(values) + "}]"),
           "its array 'u' is longer than the file");
  expect(with(R"([{"name":"u","components":0,"values":0}])"), "its array 'u' has 0 values of 0 components");
  expect(with(R"([{"name":"u","components":4294967297,"values":0}])"), "of 4294967297 components");
  expect(with(R"([{"name":"u","components":1,"values":0}])"), "it is damaged: the array 'u'");
  const std::string endless = R"([{"name":"u","components":1,"values":0},{"name":"v","components":1,"values":0}])";
  expect(with(endless), "its array 'v' is longer than the file");
  // A header longer than the file, in first bytes that are right.
  std::string longer = forged("{}", "");
  const std::uint64_t length = std::numeric_limits<std::uint64_t>::max() - 20;
  std::memcpy(longer.data() + 24, &length, 8);
  const std::uint64_t hash = checkpoint_hash(longer.data(), 32);
  std::memcpy(longer.data() + 32, &hash, 8);
  expect(longer, "its header is longer than the file");
}

TEST(Checkpoint, ThatIsAnotherFileIsRefused) {
  const fs::path folder = fresh_folder("other");
  expect_refused(folder, "is a folder, not a checkpoint");
  expect_refused(folder / "none.tsr", "there is no checkpoint");
  write_bytes(folder / "a.tsr", "<?xml version=\"1.0\"?> and more text than a preamble has");
  expect_refused(folder / "a.tsr", "it is no checkpoint");
}

TEST(Checkpoint, GivesArraysThatTheRunExpects) {
  const Checkpoint checkpoint = of_step(3);
  EXPECT_EQ(checkpoint.array("u", 2, 4).values.size(), 4u);
  const auto expect = [&](const char* name, int components, std::size_t values, const std::string& message) {
    const auto error = error_of([&] { checkpoint.array(name, components, values); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ExitCode::file_system);
    EXPECT_EQ(error->what(), message);
  };
  expect("v", 2, 4, "the checkpoint has no array 'v'");
  expect("u", 1, 4, "the checkpoint has 4 values of 2 components in 'u'; this run has 4 of 1");
  expect("u", 2, 6, "the checkpoint has 4 values of 2 components in 'u'; this run has 6 of 2");
}

TEST(Checkpoint, ThatCannotBeReadBackIsNotWritten) {
  const fs::path folder = fresh_folder("internal");
  const auto refuse = [&](const auto& change) {
    Checkpoint checkpoint = of_step(3);
    change(checkpoint);
    const auto error = error_of([&] { write_checkpoint(folder / "a.tsr", checkpoint); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ExitCode::internal);
  };
  refuse([](Checkpoint& c) { c.header["scheme"] = {{"errors", {1.0, std::nan("")}}}; });
  refuse([](Checkpoint& c) { c.arrays[1].name = "u"; });
  refuse([](Checkpoint& c) { c.arrays[0].components = 3; });
  refuse([](Checkpoint& c) { c.arrays[0].components = 0; });
  EXPECT_TRUE(names_in(folder).empty());
}

TEST(Checkpoint, LeavesTheOlderOneWhereTheDiskIsFull) {
  const fs::path folder = fresh_folder("full");
  write_checkpoint(folder / checkpoint_name(1), of_step(1, 1000));
  const std::string before = read_text(folder / checkpoint_name(1));
  for (const rlim_t limit : {rlim_t{0}, rlim_t{20}, rlim_t{100}, rlim_t{4000}, rlim_t{before.size() - 1}})
    for (const int step : {1, 2}) {
      EXPECT_EQ(tessera::testing::code_with_file_limit(
                    limit, [&] { write_checkpoint(folder / checkpoint_name(step), of_step(step, 1000)); }),
                7)
          << limit;
      EXPECT_EQ(names_in(folder), std::vector<std::string>{checkpoint_name(1)}) << limit;
      EXPECT_EQ(read_text(folder / checkpoint_name(1)), before) << limit;
    }
  EXPECT_EQ(tessera::testing::code_with_file_limit(
                rlim_t{before.size()}, [&] { write_checkpoint(folder / checkpoint_name(2), of_step(2, 1000)); }),
            0);
}

TEST(Checkpoint, SaysWhyItCannotBeWritten) {
  const auto error = error_of([] { write_checkpoint("/nonexistent/a.tsr", of_step(1)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ExitCode::file_system);
  EXPECT_STREQ(error->what(), "cannot write /nonexistent/a.tsr: No such file or directory");
  EXPECT_NE(error->help().find("--output"), std::string::npos);
}

TEST(Checkpoint, StaysWhereTheRunIsStopped) {
  const fs::path folder = fresh_folder("stopped");
  begin_results();
  atomic_write(folder / "result.csv", "half of the results");
  atomic_write(folder / "frame.csv", "a frame");
  make_lasting(folder / "frame.csv");
  write_checkpoint(folder / checkpoint_name(1), of_step(1));
  write_checkpoint(folder / checkpoint_name(2), of_step(2));
  fs::remove(folder / checkpoint_name(2));
  remove_results();
  const std::vector<std::string> lasting{checkpoint_name(1), "frame.csv"};
  EXPECT_EQ(names_in(folder), lasting);
  EXPECT_EQ(keep_results(), lasting) << "for the summary";
  EXPECT_TRUE(keep_results().empty());
}

TEST(NewestCheckpoint, IsTheNewestWholeOne) {
  const fs::path folder = fresh_folder("newest");
  EXPECT_EQ(checkpoint_name(100), "checkpoint_000000100.tsr");
  EXPECT_EQ(checkpoint_name(12345678901), "checkpoint_12345678901.tsr");
  for (const std::int64_t step : {100, 2000, 300}) write_checkpoint(folder / checkpoint_name(step), of_step(step));
  write_checkpoint(folder / checkpoint_name(12345678901), of_step(5));
  for (const char* other :
       {"checkpoint_5000.tsr", "checkpoint_000005000.txt", "checkpoint_0000x5000.tsr",
        ".checkpoint_000005000.tsr.17.tmp", "checkpoint_99999999999999999999.tsr", "checkpoint_-00000005000.tsr"})
    atomic_write(folder / other, "not a checkpoint");
  EXPECT_EQ(checkpoints_in(folder).size(), 4u);
  EXPECT_EQ(newest_checkpoint(folder).path, folder / checkpoint_name(12345678901));
  EXPECT_TRUE(newest_checkpoint(folder).unreadable.empty());
  fs::resize_file(folder / checkpoint_name(12345678901), 100);
  atomic_write(folder / checkpoint_name(2000), "");
  const NewestCheckpoint newest = newest_checkpoint(folder);
  EXPECT_EQ(newest.path, folder / checkpoint_name(300));
  EXPECT_EQ(newest.checkpoint.header["step"], 300);
  EXPECT_EQ(newest.checkpoint.arrays[0].values, std::vector<double>(4, 300.0));
  ASSERT_EQ(newest.unreadable.size(), 2u);
  EXPECT_NE(newest.unreadable[0].find("checkpoint_12345678901.tsr: it is cut off: it has 100 of"), std::string::npos);
  EXPECT_NE(newest.unreadable[1].find("checkpoint_000002000.tsr: it is empty"), std::string::npos);
}

TEST(NewestCheckpoint, SaysWhereThereIsNone) {
  const fs::path folder = fresh_folder("none");
  const auto message = [](const fs::path& where) {
    const auto error = error_of([&] { newest_checkpoint(where); });
    if (!error || error->code() != ExitCode::file_system || error->help().empty()) return std::string("no error");
    return std::string(error->what());
  };
  EXPECT_EQ(message(folder), "there is no checkpoint in " + folder.string());
  EXPECT_EQ(message(folder / "below"), "there is no checkpoint in " + (folder / "below").string());
  atomic_write(folder / checkpoint_name(7), "");
  EXPECT_EQ(message(folder), "there is no whole checkpoint in " + folder.string() + ": cannot read the checkpoint " +
                                 (folder / checkpoint_name(7)).string() + ": it is empty");
}

TEST(KeepNewest, NeverRemovesTheLastWholeOne) {
  const fs::path folder = fresh_folder("keep");
  const auto steps = [&] {
    std::vector<std::int64_t> result;
    for (const CheckpointFile& file : checkpoints_in(folder)) result.push_back(file.step);
    return result;
  };
  using Steps = std::vector<std::int64_t>;
  for (const std::int64_t step : {1, 2, 3, 4, 5}) write_checkpoint(folder / checkpoint_name(step), of_step(step));
  keep_newest(folder, 5);
  EXPECT_EQ(steps(), (Steps{5, 4, 3, 2, 1}));
  keep_newest(folder, 4);
  EXPECT_EQ(steps(), (Steps{5, 4, 3, 2}));
  for (const std::int64_t step : {5, 4}) atomic_write(folder / checkpoint_name(step), "damaged");
  keep_newest(folder, 2);
  EXPECT_EQ(steps(), (Steps{5, 4, 3}));
  keep_newest(folder, 1);
  EXPECT_EQ(steps(), (Steps{5, 3}));
  atomic_write(folder / checkpoint_name(3), "damaged");
  keep_newest(folder, 1);
  EXPECT_EQ(steps(), (Steps{5, 3})) << "none is whole: none is removed";
  write_checkpoint(folder / checkpoint_name(6), of_step(6));
  keep_newest(folder, 1);
  EXPECT_EQ(steps(), (Steps{6}));
  EXPECT_EQ(error_of([&] { keep_newest(folder, 0); })->code(), ExitCode::internal);
}

TEST(NewestCheckpoint, IsWholeAfterAKillAtAnyMoment) {
  const fs::path folder = fresh_folder("kill");
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& written = *new (shared) std::atomic<std::int64_t>(0);
  std::uint64_t random = 12345;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const std::int64_t before = written;
    const pid_t child = fork();
    if (child == 0) {
      for (std::int64_t step = before + 1;; ++step) {
        write_checkpoint(folder / checkpoint_name(step), of_step(step, 200000));
        written = step;
        keep_newest(folder, 2);
      }
    }
    while (written == before) std::this_thread::yield();
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::this_thread::sleep_for(std::chrono::microseconds((random >> 33) % 20000));
    ::kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const NewestCheckpoint newest = newest_checkpoint(folder);
    const auto step = newest.checkpoint.header["step"].get<std::int64_t>();
    EXPECT_TRUE(newest.unreadable.empty());
    EXPECT_GE(step, written) << "what was said to be written is there";
    EXPECT_LE(step, written + 1);
    EXPECT_EQ(newest.checkpoint.array("u", 2, 200000).values, std::vector<double>(200000, static_cast<double>(step)));
    written = step;
  }
  RecordProperty("half_written", static_cast<int>(names_in(folder).size() - checkpoints_in(folder).size()));
  const bool goes_on = true;
  const RunFolder next(folder, goes_on);  // the next run clears what the killed ones were writing
  for (const std::string& name : names_in(folder)) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  keep_newest(folder, 2);
  EXPECT_EQ(checkpoints_in(folder).size(), 2u);
  munmap(shared, 4096);
}

}  // namespace
}  // namespace tessera::output
