#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "output/files.hpp"
#include "output/vtk_reader.hpp"
#include "output/vtk_writer.hpp"
#include "support/full_disk.hpp"

namespace tessera::output {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("tessera_output_files_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

ExitCode code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_FALSE(error.help().empty());
    return error.code();
  }
  return ExitCode::ok;
}

VtkData many_points(std::size_t count) {
  VtkData data;
  Field u{"u", 1, {}, false};
  unsigned state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d) data.points.push_back((state = state * 1664525u + 1013904223u) / 4294967296.0);
    u.values.push_back(static_cast<double>(i));
    data.blocks.resize(1);
    data.blocks[0] = {mesh::Shape::point, 1, 1, {}};
  }
  for (std::size_t i = 0; i < count; ++i) data.blocks[0].conn.push_back(static_cast<Index>(i));
  data.point_fields = {u};
  return data;
}

TEST(AtomicWrite, ReplacesAFileAndLeavesNothingElse) {
  const fs::path folder = fresh_folder("replace");
  atomic_write(folder / "a.txt", "old");
  atomic_write(folder / "a.txt", "new");
  EXPECT_EQ(read_text(folder / "a.txt"), "new");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicWrite, NamesAMissingFolder) {
  try {
    atomic_write("/nonexistent/folder/a.txt", "text");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::file_system);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/folder/a.txt"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(AtomicWrite, KeepsTheOldFileWhereTheDiskIsFull) {
  const fs::path folder = fresh_folder("full");
  atomic_write(folder / "a.txt", "old");
  const int status = tessera::testing::with_file_limit(4096, [&] {
    try {
      atomic_write(folder / "a.txt", std::string(100000, 'x'));
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  });
  EXPECT_EQ(status, 7);
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(AtomicWrite, DoesNotKeepWhatAThrowingWriterMade) {
  const fs::path folder = fresh_folder("throws");
  EXPECT_THROW(atomic_write(folder / "a.txt",
                            [](const fs::path& temporary) {
                              std::ofstream(temporary) << "half";
                              throw std::runtime_error("no");
                            }),
               std::runtime_error);
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(MakeDirectory, SaysWhyNot) {
  const fs::path folder = fresh_folder("directory");
  make_directory(folder / "a/b/c");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  atomic_write(folder / "file", "text");
  EXPECT_EQ(code_of([&] { make_directory(folder / "file/below"); }), ExitCode::file_system);
  EXPECT_EQ(code_of([&] { make_directory(folder / "file"); }), ExitCode::file_system);
  EXPECT_EQ(code_of([&] { make_directory("/proc/tessera"); }), ExitCode::file_system);
}

TEST(VtuFile, IsWholeOrAbsentWhereTheDiskIsFull) {
  const fs::path folder = fresh_folder("vtu_full");
  const VtkData data = many_points(20000);
  write_vtu(data, folder / "a.vtu");
  const auto whole = fs::file_size(folder / "a.vtu");
  // Cut at several places: in the XML, in the arrays, one byte before the end.
  for (const rlim_t limit : {rlim_t{100}, rlim_t{2000}, rlim_t{whole / 2}, rlim_t{whole - 40}, rlim_t{whole - 1}}) {
    fs::remove(folder / "a.vtu");
    const int status = tessera::testing::with_file_limit(limit, [&] {
      try {
        write_vtu(data, folder / "a.vtu");
      } catch (const Error& error) {
        return static_cast<int>(error.code());
      }
      return 0;
    });
    EXPECT_EQ(status, 7) << "limit " << limit << " of " << whole;
    EXPECT_EQ(files_in(folder), 0u) << "limit " << limit;
  }
}

TEST(VtuFile, NamesAMissingFolder) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(code_of([] { write_vtu(many_points(3), "/nonexistent/a.vtu"); }), ExitCode::file_system);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(VtuFile, ThatIsCutOffIsRefused) {
  const fs::path folder = fresh_folder("cut");
  write_vtu(many_points(1000), folder / "a.vtu");
  fs::resize_file(folder / "a.vtu", fs::file_size(folder / "a.vtu") - 100);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(code_of([&] { read_vtu(folder / "a.vtu"); }), ExitCode::file_system);
  EXPECT_EQ(code_of([&] { read_vtu(folder / "none.vtu"); }), ExitCode::file_system);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Pvd, ListsFilesRelativeToItself) {
  const fs::path folder = fresh_folder("pvd");
  write_pvd(folder / "run.pvd", {{0.0, folder / "run_0.vtu"}, {0.1, folder / "run_1.vtu"}});
  const std::string text = read_text(folder / "run.pvd");
  EXPECT_NE(text.find("timestep=\"0.10000000000000001\" part=\"0\" file=\"run_1.vtu\""), std::string::npos);
  EXPECT_NE(text.find("</VTKFile>"), std::string::npos);
}

}  // namespace
}  // namespace tessera::output
