# Compilers, CUDA, warnings, and tessera_stage(): one folder, one library, links only downward.
include(CheckLanguage)
find_package(OpenMP REQUIRED)
find_package(fmt REQUIRED)

find_program(CCACHE ccache)
if(CCACHE)
  foreach(language C CXX CUDA)
    # It does not take precompiled headers otherwise.
    set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endforeach()
endif()

set(TESSERA_HAVE_CUDA OFF)
if(TESSERA_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
      if(no_gpu EQUAL 0)
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 90)
      endif()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(TESSERA_HAVE_CUDA ON)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc 12 and later have C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
      list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
    endif()
  endif()
endif()
message(STATUS "CUDA backend: ${TESSERA_HAVE_CUDA}")

add_library(tessera_flags INTERFACE)
target_include_directories(tessera_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_link_libraries(tessera_flags INTERFACE OpenMP::OpenMP_CXX fmt::fmt)
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unknown-pragmas>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-march=${TESSERA_MARCH}>
  $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr -lineinfo -Xcompiler=-Wall,-fopenmp,-Wno-unknown-pragmas>)
# nvcc's host pass does not take fmt 9's consteval format strings; they are then checked at run time.
target_compile_definitions(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FMT_CONSTEVAL=>)
if(TESSERA_WERROR)
  target_compile_options(tessera_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What GCC 12 says of std::string, of snprintf and of its own AVX-512 header once they are inlined, and of calls that
    # never leave a source.
    target_compile_options(tessera_flags INTERFACE
      "$<$<COMPILE_LANGUAGE:CXX>:-Wno-error=restrict;-Wno-error=array-bounds;-Wno-error=stringop-overflow;-Wno-error=stringop-overread;-Wno-error=format-truncation;-Wno-error=uninitialized;-Wno-error=maybe-uninitialized;-Wno-error=psabi>")
  endif()
endif()
if(TESSERA_QUICK_DEVICE_CODE)
  # Host code at -O2: its kernels of elements compile in two thirds of the time. Few sizes of elements have kernels for
  # devices (assembly/matrix_free/kernel_sizes.hpp).
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  target_compile_definitions(tessera_flags INTERFACE TESSERA_QUICK_DEVICE_CODE)
  # A hundred programs are linked, each in a fifth of the time. A library that uses one above it links by other linkers only
  # by chance.
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-fuse-ld=lld;-Wl,--warn-backrefs" TESSERA_LLD)
  if(TESSERA_LLD)
    target_link_options(tessera_flags INTERFACE -fuse-ld=lld -Wl,--warn-backrefs $<$<BOOL:${TESSERA_WERROR}>:-Wl,--fatal-warnings>)
  endif()
endif()
if(TESSERA_QUICK_DEVICE_CODE AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # Functions that it leaves as calls have stacks that ptxas does not know, which it would warn of.
  target_compile_options(tessera_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--Ofast-compile=max -Xptxas=--suppress-stack-size-warning>")
endif()
# Device code, three quarters of the program, is compressed to a third; the driver unpacks what a run loads. As it is,
# small address spaces do not hold the program.
target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin=-compress-all>)
if(TESSERA_HAVE_CUDA)
  target_compile_definitions(tessera_flags INTERFACE TESSERA_HAVE_CUDA)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined>)
  target_link_options(tessera_flags INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()

# Most sources spend a third of their time on the same headers of the standard library and of fmt: these are read once. Sources with
# options that change what headers say compile without (SKIP_PRECOMPILE_HEADERS), and so do builds without optimisation: behind such a
# header __OPTIMIZE__ would stay defined there, by a pragma of fmt.
set(TESSERA_PRECOMPILE_STAGES ${TESSERA_PRECOMPILE})
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CMAKE_CXX_FLAGS MATCHES "-O[123sgf]")
  set(TESSERA_PRECOMPILE_STAGES OFF)
endif()
if(TESSERA_PRECOMPILE_STAGES)
  add_library(tessera_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
  target_link_libraries(tessera_headers PRIVATE tessera_flags)
  target_precompile_headers(tessera_headers PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.hpp)
endif()

# tessera_precompiled(target): the sources of a library read these headers once.
function(tessera_precompiled target)
  if(TESSERA_PRECOMPILE_STAGES)
    # ccache takes the header of GCC with this only.
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
    target_precompile_headers(${target} REUSE_FROM tessera_headers)
  endif()
endfunction()

# tessera_unite(result most ending sources...): names in `result` few sources part_*<ending>, which include these, so many each at most, none of
# which has a name in a namespace without one that another has there (together.awk).
function(tessera_unite result most ending)
  set(parts "")
  if(ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/together.awk)
    execute_process(COMMAND awk -v most=${most} -f ${CMAKE_SOURCE_DIR}/cmake/together.awk ${ARGN}
      INPUT_FILE /dev/null OUTPUT_VARIABLE places OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" places "${places}")
    foreach(place ${places})
      string(REGEX MATCH "^([0-9]+) (.*)$" place "${place}")
      set(part ${CMAKE_CURRENT_BINARY_DIR}/together/part_${CMAKE_MATCH_1}${ending})
      list(APPEND parts ${part})
      string(APPEND text_${CMAKE_MATCH_1} "#include \"${CMAKE_MATCH_2}\"\n")
      set(text_of_${part} "${text_${CMAKE_MATCH_1}}")
    endforeach()
    list(REMOVE_DUPLICATES parts)
    foreach(part ${parts})
      file(CONFIGURE OUTPUT ${part} CONTENT "${text_of_${part}}" @ONLY)
    endforeach()
  endif()
  set(${result} ${parts} PARENT_SCOPE)
endfunction()

# tessera_together(list): of the sources in this list, device code becomes few sources that include it, five files each. nvcc reads the headers of
# a source three times: one that includes <memory> alone takes 6 s, most of the others 8 to 20. What has options of its own or the property
# TESSERA_ALONE stays alone; first come those that say which templates are in other sources, as that cannot be said of what has been
# instantiated. Other builds alone see what a file lacks that a neighbour includes.
function(tessera_together list)
  set(all ${${list}})
  set(sources "")
  set(waiting "")
  foreach(source ${all})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(alone ${source} TESSERA_ALONE)
    if(NOT source MATCHES "\\.cu$" OR options OR alone)
      list(APPEND sources ${source})
      continue()
    endif()
    file(STRINGS ${source} extern REGEX "^extern template" LIMIT_COUNT 1)
    if(extern)
      list(PREPEND waiting ${source})
    else()
      list(APPEND waiting ${source})
    endif()
  endforeach()
  tessera_unite(parts 5 _cuda.cu ${waiting})
  set(${list} ${sources} ${parts} PARENT_SCOPE)
endfunction()

# tessera_tests_together(list): of the *_test.cpp in this list become few sources, the texts of eight files each: most of the time of a
# test goes into headers that the others read, too. What a file has in a namespace without a name goes into one of its own around it, so
# that files may have the same names in theirs; messages and tests name the file itself. What has options of its own stays alone, and so do
# those that instantiate templates, which others take as declared.
function(tessera_tests_together list)
  set(sources "")
  set(waiting "")
  foreach(source ${${list}})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    file(STRINGS ${source} instantiates REGEX "_impl\\.hpp\"|^(extern )?template (class|struct|void)" LIMIT_COUNT 1)
    if(source MATCHES "_test\\.cpp$" AND NOT options AND NOT definitions AND NOT instantiates)
      list(APPEND waiting ${source})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${waiting})
  set(part 0)
  while(waiting)
    set(together ${CMAKE_CURRENT_BINARY_DIR}/together/${list}_${part}.cpp)
    set(text "")
    foreach(one RANGE 1 8)
      list(POP_FRONT waiting source)
      if(source)
        get_filename_component(name ${source} NAME_WE)
        file(READ ${source} of_source)
        string(REPLACE "\nnamespace {\n" "\nnamespace of_${name} { namespace {\n" of_source "${of_source}")
        string(REPLACE "\n}  // namespace\n" "\n} }\n" of_source "${of_source}")
        string(APPEND text "#line 1 \"${source}\"\n${of_source}")
      endif()
    endforeach()
    file(WRITE ${together}.new "${text}")
    configure_file(${together}.new ${together} COPYONLY)
    list(APPEND sources ${together})
    math(EXPR part "${part} + 1")
  endwhile()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

# tessera_sources_together(list): of the *.cpp in this list become few sources that include them, eight files each: two thirds of the time of most go
# into headers that the others read, too.
# Those stay alone that have TESSERA_ALONE or options of their own by now, kernels, macros, headers of other libraries, a namespace for all of the
# file, or instances of templates, which others take as declared.
function(tessera_sources_together list)
  set(all ${${list}})
  set(sources "")
  set(waiting "")
  foreach(source ${all})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    get_source_file_property(marked ${source} TESSERA_ALONE)
    file(STRINGS ${source} alone LIMIT_COUNT 1 REGEX
      "_impl\\.hpp\"|^(extern )?template (class|struct|void|[A-Z])|^using namespace|^# *(define|undef)|^#include <(vtk|gmsh|H5|hdf5|mpi|cuda|nv|toml|CLI/|spdlog|metis|fftw|Eigen/)")
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "_(threads|cuda)\\.cpp$" AND NOT options AND NOT definitions AND NOT marked
       AND NOT alone)
      list(APPEND waiting ${source})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  tessera_unite(parts 8 .cpp ${waiting})
  set(${list} ${sources} ${parts} PARENT_SCOPE)
endfunction()

# tessera_calls_only(target): but for *_threads.cpp the sources of this library call kernels and have none. Builds of quick device code,
# which have no figures, compile them in two thirds of the time.
function(tessera_calls_only target)
  if(TESSERA_QUICK_DEVICE_CODE)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "(_threads|_cuda)\\.cpp$")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O1)
  endif()
endfunction()

# tessera_stage(name LINKS targets...): library tessera_<name> of every source below this folder, but in folders with a CMakeLists.txt of their
# own. *.cu, and *_cuda.cpp, belong to CUDA builds only; *_no_cuda.cpp to builds without. Builds of quick device code compile several as one.
function(tessera_stage name)
  cmake_parse_arguments(stage "" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS *.cu *_cuda.cpp)
  list(FILTER cuda_sources EXCLUDE REGEX "_no_cuda\\.cpp$")
  list(REMOVE_ITEM sources ${cuda_sources} "")
  file(GLOB nested */CMakeLists.txt)
  foreach(list_file ${nested})
    get_filename_component(folder ${list_file} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
    list(FILTER cuda_sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  if(TESSERA_HAVE_CUDA)
    list(FILTER sources EXCLUDE REGEX "_no_cuda\\.cpp$")
    list(APPEND sources ${cuda_sources})
  endif()
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  if(TESSERA_QUICK_DEVICE_CODE)
    tessera_sources_together(sources)
    tessera_together(sources)
    # What calls device code never runs there, either.
    list(FILTER cuda_sources INCLUDE REGEX "\\.cpp$")
    set_property(SOURCE ${cuda_sources} APPEND PROPERTY COMPILE_OPTIONS -O0)
    set_property(SOURCE ${cuda_sources} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
  add_library(tessera_${name} STATIC ${sources})
  target_link_libraries(tessera_${name} PUBLIC tessera_flags ${stage_LINKS})
  tessera_precompiled(tessera_${name})
endfunction()
