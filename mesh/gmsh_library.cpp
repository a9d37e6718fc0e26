#include "mesh/gmsh_library.hpp"

#include <gmsh.h>

#if GMSH_API_VERSION_MAJOR == 4 && GMSH_API_VERSION_MINOR == 8

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace tessera::mesh {
namespace {

/// Where it is: among the system's libraries under the name of its version, or where CMake found it.
constexpr const char* files[] = {"libgmsh.so.4.8", TESSERA_GMSH_FILE};

/// Whether libraries may look for symbols among themselves before they do in the program: the streams and the memory of
/// the system's libraries are their own ones then, so the program must not have others (of its own, or of an allocator
/// that was loaded before it). One of the streams stands for all data of the C++ library: a program that is linked with
/// copies of such data has one of its streams, too, and this one is linked without. Sanitizers replace functions of all
/// libraries.
bool may_bind_among_themselves() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(RTLD_DEEPBIND)
  return false;
#else
  const auto is_that_of = [](const char* file, const char* symbol) {
    void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return false;
    const bool same = dlsym(library, symbol) == dlsym(RTLD_DEFAULT, symbol);
    dlclose(library);
    return same;
  };
  return is_that_of("libstdc++.so.6", "_ZSt4cout") && is_that_of("libstdc++.so.6", "_Znwm") &&
         is_that_of("libc.so.6", "malloc") && is_that_of("libc.so.6", "free");
#endif
}

/// Of the ninety libraries that come with Gmsh the loader looks for about 94,000 symbols, each of them else in the
/// sixty of the program first: `check` of a mesh file of 160 cells takes 0.22 to 0.29 s of a core in the place of 0.40
/// to 0.42 (27 November 2026, on a busy machine).
int how_to_open() {
  int how = RTLD_LAZY | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
  if (may_bind_among_themselves()) how |= RTLD_DEEPBIND;
#endif
  return how;
}

void* open_library() {
  std::string problem;
  for (const char* file : files) {
    if (void* const library = dlopen(file, how_to_open())) return library;
    problem = dlerror();
    // The words of the loader for mmap() and malloc() that fail.
    for (const char* want : {"failed to map", "annot allocate", "cannot map", "cannot create", "out of memory"})
      if (problem.find(want) != std::string::npos)
        throw Error(ExitCode::memory, fmt::format("not enough memory to load Gmsh ({})", problem),
                    "raise the limit of the process (ulimit -v) or free memory");
  }
  throw Error(ExitCode::usage, fmt::format("Gmsh cannot be loaded ({})", problem),
              "install libgmsh 4.8 (scripts/setup does), or build again");
}

void* library() {
  static void* const opened = open_library();
  return opened;
}

/// A function of the library by the name that compilers give it. Functions of gmsh.h below call it.
template <class Function>
Function* find(const char* name) {
  void* const found = dlsym(library(), name);
  if (!found)
    throw Error(ExitCode::usage, fmt::format("Gmsh's library has no {}", name), "install libgmsh 4.8, or build again");
  return reinterpret_cast<Function*>(found);
}

}  // namespace

void load_gmsh() { (void)library(); }

}  // namespace tessera::mesh

using tessera::mesh::find;

namespace gmsh {
void initialize(int argc, char** argv, bool read_config_files) {
  find<decltype(initialize)>("_ZN4gmsh10initializeEiPPcb")(argc, argv, read_config_files);
}
void open(const std::string& file_name) {
  find<decltype(open)>("_ZN4gmsh4openERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(file_name);
}
void clear() { find<decltype(clear)>("_ZN4gmsh5clearEv")(); }
void write(const std::string& file_name) {
  find<decltype(write)>("_ZN4gmsh5writeERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(file_name);
}
void finalize() { find<decltype(finalize)>("_ZN4gmsh8finalizeEv")(); }
}  // namespace gmsh

namespace gmsh::logger {
void get(std::vector<std::string>& log) {
  find<decltype(get)>("_ZN4gmsh6logger3getERSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE")(
      log);
}
void start() { find<decltype(start)>("_ZN4gmsh6logger5startEv")(); }
}  // namespace gmsh::logger

namespace gmsh::model {
void getEntities(gmsh::vectorpair& dim_tags, int dim) {
  find<decltype(getEntities)>("_ZN4gmsh5model11getEntitiesERSt6vectorISt4pairIiiESaIS3_EEi")(dim_tags, dim);
}
int getDimension() { return find<decltype(getDimension)>("_ZN4gmsh5model12getDimensionEv")(); }
void getEntityName(int dim, int tag, std::string& name) {
  find<decltype(getEntityName)>(
      "_ZN4gmsh5model13getEntityNameEiiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(dim, tag, name);
}
void getPartitions(int dim, int tag, std::vector<int>& partitions) {
  find<decltype(getPartitions)>("_ZN4gmsh5model13getPartitionsEiiRSt6vectorIiSaIiEE")(dim, tag, partitions);
}
void getBoundingBox(int dim, int tag, double& xmin, double& ymin, double& zmin, double& xmax, double& ymax,
                    double& zmax) {
  find<decltype(getBoundingBox)>("_ZN4gmsh5model14getBoundingBoxEiiRdS1_S1_S1_S1_S1_")(dim, tag, xmin, ymin, zmin, xmax,
                                                                                       ymax, zmax);
}
void getPhysicalName(int dim, int tag, std::string& name) {
  find<decltype(getPhysicalName)>(
      "_ZN4gmsh5model15getPhysicalNameEiiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(dim, tag, name);
}
void getPhysicalGroups(gmsh::vectorpair& dim_tags, int dim) {
  find<decltype(getPhysicalGroups)>("_ZN4gmsh5model17getPhysicalGroupsERSt6vectorISt4pairIiiESaIS3_EEi")(dim_tags, dim);
}
void getParametrizationBounds(int dim, int tag, std::vector<double>& min, std::vector<double>& max) {
  find<decltype(getParametrizationBounds)>("_ZN4gmsh5model24getParametrizationBoundsEiiRSt6vectorIdSaIdEES4_")(
      dim, tag, min, max);
}
void getPhysicalGroupsForEntity(int dim, int tag, std::vector<int>& physical_tags) {
  find<decltype(getPhysicalGroupsForEntity)>("_ZN4gmsh5model26getPhysicalGroupsForEntityEiiRSt6vectorIiSaIiEE")(
      dim, tag, physical_tags);
}
void getEntitiesForPhysicalGroup(int dim, int tag, std::vector<int>& tags) {
  find<decltype(getEntitiesForPhysicalGroup)>("_ZN4gmsh5model27getEntitiesForPhysicalGroupEiiRSt6vectorIiSaIiEE")(
      dim, tag, tags);
}
void add(const std::string& name) {
  find<decltype(add)>("_ZN4gmsh5model3addERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(name);
}
void getValue(int dim, int tag, const std::vector<double>& parametric_coord, std::vector<double>& coord) {
  find<decltype(getValue)>("_ZN4gmsh5model8getValueEiiRKSt6vectorIdSaIdEERS3_")(dim, tag, parametric_coord, coord);
}
void getParent(int dim, int tag, int& parent_dim, int& parent_tag) {
  find<decltype(getParent)>("_ZN4gmsh5model9getParentEiiRiS1_")(dim, tag, parent_dim, parent_tag);
}
}  // namespace gmsh::model

namespace gmsh::model::geo {
void synchronize() { find<decltype(synchronize)>("_ZN4gmsh5model3geo11synchronizeEv")(); }
int addSurfaceLoop(const std::vector<int>& surface_tags, int tag) {
  return find<decltype(addSurfaceLoop)>("_ZN4gmsh5model3geo14addSurfaceLoopERKSt6vectorIiSaIiEEi")(surface_tags, tag);
}
int addVolume(const std::vector<int>& shell_tags, int tag) {
  return find<decltype(addVolume)>("_ZN4gmsh5model3geo9addVolumeERKSt6vectorIiSaIiEEi")(shell_tags, tag);
}
}  // namespace gmsh::model::geo

namespace gmsh::model::mesh {
void getElements(std::vector<int>& element_types, std::vector<std::vector<std::size_t>>& element_tags,
                 std::vector<std::vector<std::size_t>>& node_tags, int dim, int tag) {
  find<decltype(getElements)>("_ZN4gmsh5model4mesh11getElementsERSt6vectorIiSaIiEERS2_IS2_ImSaImEESaIS7_EESA_ii")(
      element_types, element_tags, node_tags, dim, tag);
}
void createGeometry(const gmsh::vectorpair& dim_tags) {
  find<decltype(createGeometry)>("_ZN4gmsh5model4mesh14createGeometryERKSt6vectorISt4pairIiiESaIS4_EE")(dim_tags);
}
void getElementTypes(std::vector<int>& element_types, int dim, int tag) {
  find<decltype(getElementTypes)>("_ZN4gmsh5model4mesh15getElementTypesERSt6vectorIiSaIiEEii")(element_types, dim, tag);
}
void classifySurfaces(double angle, bool boundary, bool for_reparametrization, double curve_angle,
                      bool export_discrete) {
  find<decltype(classifySurfaces)>("_ZN4gmsh5model4mesh16classifySurfacesEdbbdb")(
      angle, boundary, for_reparametrization, curve_angle, export_discrete);
}
void getBasisFunctions(int element_type, const std::vector<double>& local_coord, const std::string& function_space_type,
                       int& num_components, std::vector<double>& basis_functions, int& num_orientations,
                       const std::vector<int>& wanted_orientations) {
  find<decltype(getBasisFunctions)>(
      "_ZN4gmsh5model4mesh17getBasisFunctionsEiRKSt6vectorIdSaIdEERKNSt7__cxx1112basic_stringIcSt11char_"
      "traitsIcESaIcEEERiRS4_SF_RKS2_IiSaIiEE")(element_type, local_coord, function_space_type, num_components,
                                                basis_functions, num_orientations, wanted_orientations);
}
void getElementsByType(int element_type, std::vector<std::size_t>& element_tags, std::vector<std::size_t>& node_tags,
                       int tag, std::size_t task, std::size_t num_tasks) {
  find<decltype(getElementsByType)>("_ZN4gmsh5model4mesh17getElementsByTypeEiRSt6vectorImSaImEES5_imm")(
      element_type, element_tags, node_tags, tag, task, num_tasks);
}
void getElementProperties(int element_type, std::string& element_name, int& dim, int& order, int& num_nodes,
                          std::vector<double>& local_node_coord, int& num_primary_nodes) {
  find<decltype(getElementProperties)>(
      "_ZN4gmsh5model4mesh20getElementPropertiesEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERiS9_S9_"
      "RSt6vectorIdSaIdEES9_")(element_type, element_name, dim, order, num_nodes, local_node_coord, num_primary_nodes);
}
void preallocateElementsByType(int element_type, bool element_tag, bool node_tag,
                               std::vector<std::size_t>& element_tags, std::vector<std::size_t>& node_tags, int tag) {
  find<decltype(preallocateElementsByType)>("_ZN4gmsh5model4mesh25preallocateElementsByTypeEibbRSt6vectorImSaImEES5_i")(
      element_type, element_tag, node_tag, element_tags, node_tags, tag);
}
void refine() { find<decltype(refine)>("_ZN4gmsh5model4mesh6refineEv")(); }
void generate(int dim) { find<decltype(generate)>("_ZN4gmsh5model4mesh8generateEi")(dim); }
void getNodes(std::vector<std::size_t>& node_tags, std::vector<double>& coord, std::vector<double>& parametric_coord,
              int dim, int tag, bool include_boundary, bool return_parametric_coord) {
  find<decltype(getNodes)>("_ZN4gmsh5model4mesh8getNodesERSt6vectorImSaImEERS2_IdSaIdEES8_iibb")(
      node_tags, coord, parametric_coord, dim, tag, include_boundary, return_parametric_coord);
}
void setOrder(int order) { find<decltype(setOrder)>("_ZN4gmsh5model4mesh8setOrderEi")(order); }
}  // namespace gmsh::model::mesh

namespace gmsh::model::occ {
void getEntities(gmsh::vectorpair& dim_tags, int dim) {
  find<decltype(getEntities)>("_ZN4gmsh5model3occ11getEntitiesERSt6vectorISt4pairIiiESaIS4_EEi")(dim_tags, dim);
}
void synchronize() { find<decltype(synchronize)>("_ZN4gmsh5model3occ11synchronizeEv")(); }
void removeAllDuplicates() { find<decltype(removeAllDuplicates)>("_ZN4gmsh5model3occ19removeAllDuplicatesEv")(); }
int addBox(double x, double y, double z, double dx, double dy, double dz, int tag) {
  return find<decltype(addBox)>("_ZN4gmsh5model3occ6addBoxEddddddi")(x, y, z, dx, dy, dz, tag);
}
void getMass(int dim, int tag, double& mass) {
  find<decltype(getMass)>("_ZN4gmsh5model3occ7getMassEiiRd")(dim, tag, mass);
}
}  // namespace gmsh::model::occ

namespace gmsh::option {
void setNumber(const std::string& name, double value) {
  find<decltype(setNumber)>("_ZN4gmsh6option9setNumberERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEd")(name,
                                                                                                                 value);
}
}  // namespace gmsh::option

#else

namespace tessera::mesh {
void load_gmsh() {}
}  // namespace tessera::mesh

#endif
