// What ranks have of a mesh and of each other: partitions of a file, pieces of a solution, time spent waiting.
#include "app/parted.hpp"

namespace {

using namespace app_test;

/// What runs over ranks would load, and what becomes of them without it.
TEST(Doctor, SaysWhatRanksWouldUse) {
  const Result without =
      shell("TESSERA_MPI=/nowhere/libmpi.so TESSERA_NCCL=/nowhere/libnccl.so PATH=/nowhere " + program() + " doctor");
  EXPECT_EQ(without.code, 0) << without.text;
  for (const char* part : {"/nowhere/libmpi.so is not there", "mpirun       not on the PATH",
                           "one, because MPI is not usable", "scripts/setup"})
    EXPECT_TRUE(without.says(part)) << part << "\n" << without.text;
  const Result with = app_test::tessera("doctor");
  EXPECT_EQ(with.code, 0) << with.text;
  EXPECT_TRUE(with.says("NCCL ")) << with.text;
  if (!has_mpi()) return;  // this machine has none
  for (const char* part : {"Open MPI v", "libtessera_mpi.so", "/mpirun", "as mpirun or srun starts"})
    EXPECT_TRUE(with.says(part)) << part << "\n" << with.text;
}

/// As Gmsh writes it: the entities of the file in $Entities, their parts and the cuts between these beside them.
std::string msh41(const Parted& file) {
  std::string text =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"left\"\n1 2 \"right\"\n2 3 \"all\"\n"
      "$EndPhysicalNames\n$Entities\n0 2 1 0\n1 0 0 0 0 1 0 1 1 0\n2 1 0 0 1 1 0 1 2 0\n7 0 0 0 1 1 0 1 3 0\n"
      "$EndEntities\n";
  const int first = 10, cuts = file.parts - 1;  // tags of parts of the surface; of cuts, 20 and on
  text += fmt::format("$PartitionedEntities\n{}\n0\n0 {} {} 0\n", file.parts, 2 + cuts, file.parts);
  text += fmt::format("3 1 1 1 1 0 0 0 0 1 0 1 1 0\n4 1 2 1 {} 1 0 0 1 1 0 1 2 0\n", file.parts);
  for (int cut = 0; cut < cuts; ++cut)
    text += fmt::format("{} 2 7 2 {} {} 0 0 0 1 1 0 1 3 0\n", 20 + cut, cut + 1, cut + 2);
  for (int p = 0; p < file.parts; ++p) text += fmt::format("{} 2 7 1 {} 0 0 0 1 1 0 1 3 0\n", first + p, p + 1);
  text += "$EndPartitionedEntities\n$Nodes\n1 45 1 45\n2 10 0 45\n";
  for (int node = 1; node <= 45; ++node) text += fmt::format("{}\n", node);
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 8; ++i) text += fmt::format("{} {} 0\n", i / 8.0, j / 4.0);
  text += "$EndNodes\n";
  std::string blocks;
  int element = 0, count = 2 + file.parts;
  for (const auto& [entity, node] : {std::pair{3, 1}, {4, 9}}) {
    blocks += fmt::format("1 {} 1 4\n", entity);
    for (int j = 0; j < 4; ++j) blocks += fmt::format("{} {} {}\n", ++element, 9 * j + node, 9 * j + node + 9);
  }
  for (int cut = 0; cut < cuts; ++cut) {
    int column = 0;
    while (part_of(file, column) <= cut + 1) ++column;
    blocks += fmt::format("1 {} 1 4\n", 20 + cut), ++count;
    for (int j = 0; j < 4; ++j) blocks += fmt::format("{} {} {}\n", ++element, 9 * j + column + 1, 9 * j + column + 10);
  }
  for (int p = 1; p <= file.parts; ++p) {
    std::string cells;
    int in_part = 0;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 8; ++i) {
        if (part_of(file, i) != p) continue;
        const int a = 9 * j + i + 1, b = a + 1, c = a + 10, d = a + 9;
        cells += fmt::format("{} {} {} {}\n{} {} {} {}\n", element + 1, a, b, c, element + 2, a, c, d);
        element += 2, in_part += 2;
      }
    blocks += fmt::format("2 {} 2 {}\n", first + p - 1, in_part) + cells;
  }
  return text + fmt::format("$Elements\n{} {} 1 {}\n", count, element, element) + blocks + "$EndElements\n";
}

std::string on_file(const std::string& name, const Parted& file) {
  return deck_on_file(name, file.version == "4.1" ? msh41(file) : msh22(file));
}

TEST(RanksParts, AreThoseOfTheFile) {
  SKIP_WITHOUT_MPI();
  for (const char* version : {"2.2", "4.1"})
    for (const int ranks : version == std::string("4.1") ? std::vector{2, 4} : std::vector{3}) {
      const std::string name = fmt::format("parted_{}_{}", version[0], ranks);
      const std::string deck = on_file(name + ".msh", {version, ranks});
      const nlohmann::json one = run_on(1, name, deck), many = run_on(ranks, name, deck);
      ASSERT_FALSE(one.is_discarded() || many.is_discarded()) << name;
      EXPECT_EQ(one["mesh"]["groups"], (nlohmann::json{{"left", 4}, {"right", 4}, {"all", 64}})) << name;
      EXPECT_EQ(many["mesh"]["groups"], one["mesh"]["groups"]) << name;
      // Columns of vertices from left to right; those of a cut belong to the part before it.
      std::vector<double> dofs(static_cast<std::size_t>(ranks), 0);
      for (int column = 0; column <= 8; ++column)
        dofs[static_cast<std::size_t>(part_of({version, ranks}, std::max(column - 1, 0)) - 1)] += 5;
      EXPECT_EQ(many["ranks"]["dofs"].get<std::vector<double>>(), dofs) << name;
      const Result compared =
          app_test::tessera("compare " + (out_of(name, 1) / "solution.vtu").string() + " " +
                            (out_of(name, ranks) / "solution.vtu").string() + " --rtol 1e-12 --atol 1e-12");
      EXPECT_EQ(compared.code, 0) << name << "\n" << compared.text;
    }
}

/// Names of a file that was cut are those of before.
TEST(RanksParts, LeaveTheNamesOfTheFile) {
  for (const char* version : {"2.2", "4.1"}) {
    const std::string name = std::string("listed_") + version[0];
    const std::string deck = write_deck(name + ".toml", on_file(name + ".msh", {version, 3}));
    const Result listed = app_test::tessera("mesh " + deck + " --list");
    EXPECT_EQ(listed.code, 0) << listed.text;
    for (const char* known : {"curve_1", "curve_2", "surface_7", "partition_1", "partition_3"})
      EXPECT_TRUE(listed.says(known)) << version << " " << known << "\n" << listed.text;
    for (const char* none : {"tag_3", "curve_20", "surface_10"})
      EXPECT_FALSE(listed.says(none)) << version << " " << none << "\n" << listed.text;
  }
}

TEST(RanksParts, ThatDoNotFitAreRefused) {
  SKIP_WITHOUT_MPI();
  const auto refused = [&](const char* name, const Parted& file, int ranks) {
    const std::string deck = write_deck(std::string(name) + ".toml", on_file(std::string(name) + ".msh", file));
    const Result result =
        on_ranks(ranks, "run " + deck + " --quiet --backend threads --output " + (folder() / name).string());
    EXPECT_EQ(result.code, 2) << name << "\n" << result.text;
    EXPECT_TRUE(result.says(std::string(name) + ".toml:1:")) << result.text;
    return result;
  };
  for (const char* version : {"2.2", "4.1"}) {
    const Result number = refused("other_number", {version, 3}, 2);
    EXPECT_TRUE(number.says("3 partitions for 2 ranks")) << number.text;
    EXPECT_TRUE(number.says("start 3 ranks")) << number.text;
  }
  const Result none = refused("no_parts", {"2.2", 2, true}, 2);
  EXPECT_TRUE(none.says("has no partitions")) << none.text;
  EXPECT_TRUE(none.says("gmsh -part 2")) << none.text;
  const std::string deck = write_deck("no_parts.toml", on_file("no_parts.msh", {"2.2", 2, true}));
  const Result check = app_test::tessera("check " + deck + " --ranks 2");
  EXPECT_EQ(check.code, 2) << check.text;
  EXPECT_TRUE(check.says("has no partitions")) << check.text;
  const Result box = app_test::tessera(
      "check " +
      write_deck("box_by_file.toml", box_of("triangle", 2, 4) + poisson_of(1) + dirichlet_on("[\"left\"]", "0")) +
      " --set mesh.partition='\"file\"'");
  EXPECT_EQ(box.code, 2) << box.text;
  EXPECT_TRUE(box.says("this mesh is a box")) << box.text;
}

std::string smooth(int cells, int order) {
  return box_of("triangle", 2, cells) + poisson_of(order) + "[[material]]\nsource = \"1 + x\"\n" +
         dirichlet_on("[\"left\", \"top\"]", "x*y") + "[solver]\ntolerance = 1e-14\n";
}

/// Pieces beside the whole and beside other pieces, as files and as folders.
TEST(RanksPieces, AreComparedCellByCell) {
  SKIP_WITHOUT_MPI();
  const std::string pieces = "--set output.formats='[\"pvtu\"]'", bricks = " --set mesh.partition='\"bricks\"'";
  ASSERT_FALSE(run_on(1, "pieces", smooth(9, 2)).is_discarded());
  ASSERT_FALSE(run_on(3, "pieces", smooth(9, 2), pieces).is_discarded());
  ASSERT_FALSE(run_on(2, "pieces", smooth(9, 2), pieces + bricks).is_discarded());
  const fs::path whole = out_of("pieces", 1), three = out_of("pieces", 3), two = out_of("pieces", 2);
  const auto compared = [](const fs::path& a, const fs::path& b, const std::string& options = "") {
    return app_test::tessera("compare " + a.string() + " " + b.string() + " " + options);
  };
  for (const auto& [a, b] : {std::pair{whole / "solution.vtu", three / "solution.pvtu"},
                             {three / "solution.pvtu", whole / "solution.vtu"},
                             {two / "solution.pvtu", three / "solution.pvtu"}}) {
    const Result same = compared(a, b, "--all --rtol 1e-12");
    EXPECT_EQ(same.code, 0) << a << " " << b << "\n" << same.text;
    EXPECT_TRUE(same.says("point field 'u'")) << same.text;
    EXPECT_EQ(compared(a, b, "--rtol 0 --atol 0").code, 6) << a << " " << b;
  }
  const Result folders =
      compared(two, three,
               "--all --ignore files --ignore solver --ignore assembly --ignore matrix --ignore ranks "
               "--ignore backend --ignore phases --ignore memory --ignore output");
  EXPECT_EQ(folders.code, 0) << folders.text;
  EXPECT_TRUE(folders.says("solution.vtu: point field 'u'")) << folders.text;
  EXPECT_FALSE(folders.says("solution_0.vtu")) << folders.text;
  // Another mesh, a piece that is gone, a file that is no list of pieces.
  ASSERT_FALSE(run_on(1, "other_pieces", smooth(8, 2)).is_discarded());
  const Result other = compared(out_of("other_pieces", 1) / "solution.vtu", three / "solution.pvtu");
  EXPECT_EQ(other.code, 6) << other.text;
  EXPECT_TRUE(other.says("128 cells against 162")) << other.text;
  fs::remove(three / "solution_1.vtu");
  const Result gone = compared(whole / "solution.vtu", three / "solution.pvtu");
  EXPECT_EQ(gone.code, 7) << gone.text;
  EXPECT_TRUE(gone.says("solution_1.vtu")) << gone.text;
  std::ofstream(folder() / "no_list.pvtu") << "<VTKFile type=\"ImageData\">\n</VTKFile>\n";
  const Result no_list = compared(folder() / "no_list.pvtu", whole / "solution.vtu");
  EXPECT_EQ(no_list.code, 7) << no_list.text;
  EXPECT_TRUE(no_list.says("names no pieces")) << no_list.text;
}

/// The summary says what each rank has waited; of a run on one rank nothing.
TEST(RanksWaiting, IsInTheSummary) {
  SKIP_WITHOUT_MPI();
  const nlohmann::json one = run_on(1, "waiting", smooth(12, 1)), three = run_on(3, "waiting", smooth(12, 1));
  ASSERT_FALSE(one.is_discarded() || three.is_discarded());
  EXPECT_FALSE(one.contains("ranks"));
  const nlohmann::json& waiting = three["ranks"]["seconds_waiting"];
  double seconds = 0;
  for (const nlohmann::json& phase : three["phases"])
    if (!phase.contains("part_of")) seconds += phase.value("seconds", 0.0);
  for (const char* kind : {"set_up", "collectives", "exchange"}) {
    const auto of_ranks = waiting[kind].get<std::vector<double>>();
    ASSERT_EQ(of_ranks.size(), 3u) << kind;
    for (const double of_rank : of_ranks) EXPECT_GT(of_rank, 0) << kind;
    EXPECT_LE(of_ranks[0], seconds + 1) << kind;
  }
  EXPECT_EQ(three["ranks"]["halo_bytes"].size(), 3u);
}

}  // namespace
