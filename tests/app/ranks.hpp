#pragma once
// The program on several ranks, as mpirun starts it.
#include "app/child.hpp"
#include "app/nonlinear.hpp"

namespace app_test {

inline bool has_mpi() {
  static const bool found =
      fs::exists(fs::path(program()).parent_path() / "libtessera_mpi.so") && shell("command -v mpirun").code == 0;
  return found;
}
#define SKIP_WITHOUT_MPI() \
  if (const bool found = has_mpi(); !found) GTEST_SKIP() << "no libtessera_mpi.so beside the program, or no mpirun"

/// More ranks than cores, of one thread each, and whoever starts them. Each test has a folder of sessions of its own:
/// OpenMPI removes one of several tests while another makes its session there.
inline const std::string mpirun =
    fmt::format("OMPI_MCA_orte_tmpdir_base={}/tessera_mpi_{} ", fs::temp_directory_path().string(), getpid()) +
    "OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to "
    "none ";

inline Result on_ranks(int ranks, const std::string& arguments) {
  return shell(mpirun + "-n " + std::to_string(ranks) + " " + program() + " " + arguments);
}

inline fs::path out_of(const std::string& name, int ranks) { return folder() / fmt::format("{}_on_{}", name, ranks); }

/// The summary of a run on so many ranks, which must end well.
inline nlohmann::json run_on(int ranks, const std::string& name, const std::string& deck,
                             const std::string& options = "") {
  const fs::path out = out_of(name, ranks);
  const std::string arguments = "run " + write_deck(name + ".toml", deck) +
                                " --quiet --backend threads --set output.fields='[\"u\"]' " + options + " --output " +
                                out.string();
  const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
  EXPECT_EQ(result.code, 0) << name << " on " << ranks << "\n" << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
}

/// Numbers of the same names, whatever holds them; to what is added up in another order.
inline void expect_near(const nlohmann::json& many, const nlohmann::json& one, const std::string& where) {
  if (one.is_number()) {
    EXPECT_NEAR(double(many), double(one), 1e-10 * (1 + std::abs(double(one)))) << where;
    return;
  }
  ASSERT_EQ(many.type(), one.type()) << where;
  ASSERT_EQ(many.size(), one.size()) << where;
  for (std::size_t i = 0; one.is_array() && i < one.size(); ++i) expect_near(many[i], one[i], where);
  if (!one.is_object()) return;
  for (const auto& [key, value] : one.items()) {
    ASSERT_TRUE(many.contains(key)) << where << "." << key;
    expect_near(many[key], value, where + "." + key);
  }
}

}  // namespace app_test
