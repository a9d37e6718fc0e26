// Ways on which ranks with GPUs of their own share vectors.
#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "base/rank_libraries.hpp"

namespace {

using namespace app_test;

/// Exchanges of several lengths and sums of several numbers: ghosts of 3 unknowns a node and of one, with and without
/// a matrix.
const std::string beam =
    "[mesh]\nbox = { min = [0,0,0], max = [4,1,1], cells = [24,7,7], shape = \"tet\" }\n"
    "[physics]\ntype = \"elasticity\"\norder = 2\n"
    "[[material]]\nyoung = 1\npoisson = 0.3\nbody_force = [0, 0, -1e-3]\n"
    "[[boundary]]\non = [\"left\"]\ntype = \"displacement\"\nvalue = [0, 0, 0]\n"
    "[solver]\ntype = \"cg\"\npreconditioner = \"block_jacobi\"\ntolerance = 1e-11\n";
const std::string wind =
    "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [120,120], shape = \"triangle\" }\n"
    "[physics]\ntype = \"convection_diffusion\"\n"
    "[[material]]\ndiffusivity = 0.02\nvelocity = [1, 0.5]\nsource = 1\n"
    "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = 0\n"
    "[solver]\ntype = \"gmres\"\nrestart = 100\ntolerance = 1e-12\n";

const std::string cube =
    "[mesh]\nbox = { min = [0,0,0], max = [2,1,1], cells = [12,6,5], shape = \"hex\" }\n"
    "[physics]\ntype = \"poisson\"\norder = 4\n[assembly]\nstrategy = \"matrix_free\"\n"
    "[[material]]\ndiffusivity = \"1 + x\"\nsource = 1\n"
    "[[boundary]]\non = [\"left\", \"front\"]\ntype = \"dirichlet\"\nvalue = \"y\"\n"
    "[solver]\ntype = \"cg\"\npreconditioner = \"chebyshev\"\ntolerance = 1e-12\n";

/// A wave, whose ghosts travel beside cells that move nodes, without memory and with.
const std::string wave =
    "[mesh]\nbox = { min = [0,0,0], max = [2,1,1], cells = [16,8,8], shape = \"hex\" }\n"
    "[physics]\ntype = \"wave\"\nmedium = \"elastic\"\norder = 4\n"
    "[time]\nend = 0.1\nstep = 2e-3\n[output]\nevery = 50\n"
    "[[initial]]\nu = [\"sin(3*x)*cos(4*y)*cos(2*z)\", \"0\", \"0\"]\n";
const std::string elastic = wave + "[[material]]\nvp = 1\nvs = 0.6\ndensity = 1\n";
const std::string lossy = elastic + "q_kappa = 80\nq_mu = 60\n[attenuation]\nband = [0.1, 10]\n";

/// What a run has written last: of one through time the state at its end.
fs::path last_of(const fs::path& out) {
  fs::path last;
  for (const fs::directory_entry& entry : fs::directory_iterator(out))
    if (entry.path().extension() == ".vtu" && entry.path() > last) last = entry.path();
  return last;
}

Result run_over(const std::string& link, const std::string& deck, const fs::path& out) {
  return shell("TESSERA_LINK=" + link + " " + mpirun + "-n 2 " + program() + " run " + deck +
               " --quiet --backend cuda --set output.fields='[\"u\"]' --output " + out.string());
}

TEST(RanksOnGpus, FindTheSolutionOfOneOverEveryLink) {
  SKIP_WITHOUT_MPI();
  if (tessera::cuda_info().devices < 2) GTEST_SKIP() << "fewer than two GPUs";
  for (const auto& [name, text] :
       {std::pair{"beam", beam}, {"wind", wind}, {"cube", cube}, {"elastic", elastic}, {"lossy", lossy}}) {
    const std::string deck = write_deck(std::string(name) + ".toml", text);
    const fs::path one = out_of(name, 1);
    ASSERT_EQ(app_test::tessera("run " + deck + " --quiet --backend cuda --set output.fields='[\"u\"]' --output " +
                                one.string())
                  .code,
              0);
    for (const auto& [link, words] :
         {std::pair{"peer", "peer memory"}, {"nccl", "nccl"}, {"host", "mpi through the host"}}) {
      if (link == std::string("nccl") && !tessera::find_nccl().problem.empty()) continue;
      const fs::path out = out_of(std::string(name) + link, 2), again = out_of(std::string(name) + link + "_again", 2);
      const Result result = run_over(link, deck, out);
      if (link == std::string("peer") && result.says("cannot be had")) continue;  // these GPUs do not reach each other
      ASSERT_EQ(result.code, 0) << result.text;
      EXPECT_EQ(summary_in(out)["ranks"]["link"], words);
      const Result compared = app_test::tessera("compare " + last_of(one).string() + " " + last_of(out).string() +
                                                " --rtol 1e-9 --atol 1e-9");
      EXPECT_EQ(compared.code, 0) << name << " over " << link << "\n" << compared.text;
      ASSERT_EQ(run_over(link, deck, again).code, 0);
      EXPECT_EQ(bytes_of(last_of(out)), bytes_of(last_of(again))) << name << " over " << link;
    }
  }
}

/// Which GPU of its machine each rank has, in words and in the summary; ranks that share one are told what it costs.
TEST(RanksOnGpus, HaveOneEachAndSayWhich) {
  SKIP_WITHOUT_MPI();
  const int devices = tessera::cuda_info().devices;
  if (devices < 1) GTEST_SKIP() << "no GPU";
  const std::string deck = write_deck("devices.toml", wind);
  const fs::path out = folder() / "devices";
  const Result result = on_ranks(2, "run " + deck + " --backend cuda --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  const int second = devices > 1 ? 1 : 0;
  EXPECT_EQ(summary_in(out)["ranks"]["devices"], (std::vector<int>{0, second}));
  EXPECT_TRUE(result.says(fmt::format("rank 0 GPU 0, rank 1 GPU {}", second))) << result.text;
  EXPECT_EQ(result.says("vectors go through the host, which is slow: ranks share a GPU"), devices == 1) << result.text;
}

TEST(RanksOnGpus, AreToldOfALinkThatCannotBeHad) {
  SKIP_WITHOUT_MPI();
  const int devices = tessera::cuda_info().devices;
  if (devices < 1) GTEST_SKIP() << "no GPU";
  const std::string deck = write_deck("links.toml", wind);
  const Result unknown = run_over("pigeon", deck, folder() / "links");
  EXPECT_EQ(unknown.code, 2) << unknown.text;
  EXPECT_TRUE(unknown.says("TESSERA_LINK = \"pigeon\" is none of peer, nccl, host")) << unknown.text;
  if (devices > 1) return;
  const Result shared = run_over("peer", deck, folder() / "links");
  EXPECT_EQ(shared.code, 2) << shared.text;
  EXPECT_TRUE(shared.says("TESSERA_LINK = peer cannot be had: ranks share a GPU")) << shared.text;
}

}  // namespace
