// What is kept from run to run is found again, and nothing that happens to the folder is an error.
#include "base/disk_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public ::testing::Test {
 protected:
  DiskCacheTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("tessera_cache_" + std::to_string(getpid()) + "_" + test->name());
    fs::remove_all(folder_);
  }
  ~DiskCacheTest() override {
    std::error_code error;
    fs::permissions(folder_, fs::perms::owner_all, error);
    fs::remove_all(folder_, error);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void set_content(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST_F(DiskCacheTest, FindsWhatWasKept) {
  const DiskCache cache(folder_ / "made" / "when needed");
  EXPECT_FALSE(cache.read("key"));
  const std::string bytes("a\0b\n", 4);
  cache.write("key", bytes);
  cache.write("other", "");
  EXPECT_EQ(cache.read("key"), bytes);
  EXPECT_EQ(cache.read("other"), "");
  cache.write("key", "new");
  EXPECT_EQ(DiskCache(folder_ / "made" / "when needed").read("key"), "new");
}

TEST_F(DiskCacheTest, AFileThatIsNotWholeIsNotRead) {
  const DiskCache cache(folder_);
  cache.write("key", "some bytes");
  const std::string good = content_of(cache.file("key"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string garbled = good;
    garbled[i] = static_cast<char>(garbled[i] ^ 4);
    set_content(cache.file("key"), garbled);
    EXPECT_FALSE(cache.read("key")) << "byte " << i;
    set_content(cache.file("key"), good.substr(0, i));
    EXPECT_FALSE(cache.read("key")) << "cut at " << i;
  }
  set_content(cache.file("key"), good + "x");
  EXPECT_FALSE(cache.read("key"));
  cache.write("key", "some bytes");
  EXPECT_EQ(cache.read("key"), "some bytes");
}

TEST_F(DiskCacheTest, AFileOfAnotherKeyIsNotRead) {
  const DiskCache cache(folder_);
  cache.write("one", "of one");
  fs::rename(cache.file("one"), cache.file("two"));  // as if their hashes were the same
  EXPECT_FALSE(cache.read("two"));
}

TEST_F(DiskCacheTest, NoFolderKeepsNothing) {
  const DiskCache cache("");
  cache.write("key", "bytes");
  EXPECT_FALSE(cache.read("key"));
}

TEST_F(DiskCacheTest, AFolderThatCannotBeUsedIsNoError) {
  fs::create_directories(folder_);
  set_content(folder_ / "file", "");
  const DiskCache in_a_file(folder_ / "file" / "folder");
  in_a_file.write("key", "bytes");
  EXPECT_FALSE(in_a_file.read("key"));
  const DiskCache in_no_folder("/proc/tessera");
  in_no_folder.write("key", "bytes");
  EXPECT_FALSE(in_no_folder.read("key"));
  const DiskCache read_only(folder_);
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  read_only.write("key", "bytes");  // root writes all the same
  EXPECT_EQ(read_only.read("key").value_or("bytes"), "bytes");
  fs::permissions(folder_, fs::perms::owner_all);
  fs::create_directories(read_only.file("folder"));
  read_only.write("folder", "bytes");
  EXPECT_FALSE(read_only.read("folder"));
}

TEST_F(DiskCacheTest, WhatWasNotUsedForLongestGoes) {
  const std::string bytes(1000, 'x');
  const DiskCache cache(folder_, 5000);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 4; ++i) {
    const std::string key = std::to_string(i);
    cache.write(key, bytes);
    fs::last_write_time(cache.file(key), now - std::chrono::hours(10 - i));
  }
  EXPECT_TRUE(cache.read("0"));  // used now
  cache.write("4", bytes);
  EXPECT_EQ(files(), 4u);
  EXPECT_TRUE(cache.read("0"));
  EXPECT_FALSE(cache.read("1"));
  EXPECT_TRUE(cache.read("4"));
  cache.write("large", std::string(6000, 'x'));
  EXPECT_FALSE(cache.read("large"));
  EXPECT_EQ(files(), 4u);
}

TEST_F(DiskCacheTest, LeavesOfAProgramThatEndedAreRemovedAndFilesOfOthersStay) {
  const DiskCache cache(folder_, 100);
  fs::create_directories(folder_);
  set_content(folder_ / "old.1.0.part", "half");
  set_content(folder_ / "new.1.0.part", "half");
  set_content(folder_ / "others.txt", std::string(500, 'x'));
  fs::last_write_time(folder_ / "old.1.0.part", fs::file_time_type::clock::now() - std::chrono::hours(30));
  cache.write("key", "bytes");
  EXPECT_FALSE(fs::exists(folder_ / "old.1.0.part"));
  EXPECT_TRUE(fs::exists(folder_ / "new.1.0.part"));
  EXPECT_TRUE(fs::exists(folder_ / "others.txt"));
  EXPECT_TRUE(cache.read("key"));
}

TEST_F(DiskCacheTest, ServesSeveralAtATime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const DiskCache cache(folder_, 20000);
      for (int i = 0; i < 50; ++i) {
        const std::string key = std::to_string((i + t) % 7);
        cache.write(key, std::string(1000, key.front()));
        EXPECT_EQ(cache.read(key).value_or(std::string(1000, key.front())), std::string(1000, key.front()));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(files(), 7u);
}

TEST_F(DiskCacheTest, ItsFolderIsTheUsers) {
  const char* const names[] = {"TESSERA_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> before;
  for (const char* name : names) {
    const char* value = std::getenv(name);
    before.push_back(value ? std::optional<std::string>(value) : std::nullopt);
    unsetenv(name);
  }
  EXPECT_EQ(DiskCache::default_folder(), "");
  setenv("HOME", "/home/user", 1);
  EXPECT_EQ(DiskCache::default_folder(), "/home/user/.cache/tessera");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(DiskCache::default_folder(), "/home/user/.cache/tessera");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(DiskCache::default_folder(), "/caches/tessera");
  setenv("TESSERA_CACHE", "/mine", 1);
  EXPECT_EQ(DiskCache::default_folder(), "/mine");
  setenv("TESSERA_CACHE", "", 1);
  EXPECT_EQ(DiskCache::default_folder(), "");
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
}

}  // namespace
}  // namespace tessera
