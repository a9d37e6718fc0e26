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
  # Few sizes of elements have kernels (assembly/matrix_free/kernel_sizes.hpp).
  target_compile_definitions(tessera_flags INTERFACE TESSERA_QUICK_DEVICE_CODE)
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

# tessera_together(list): of the sources in this list, device code of a folder becomes few sources that include it, five files each. nvcc
# reads the headers of a source three times: one that includes <memory> alone takes 6 s, most of the others 8 to 20. What has options of
# its own or the property TESSERA_ALONE stays alone; first come those that say which templates are in other sources, as that cannot be said
# of what has been instantiated.
function(tessera_together list)
  set(sources ${${list}})
  foreach(source ${sources})
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(alone ${source} TESSERA_ALONE)
    if(source MATCHES "\\.cu$" AND NOT options AND NOT alone)
      get_filename_component(folder ${source} DIRECTORY)
      list(APPEND folders ${folder})
      string(MAKE_C_IDENTIFIER of_${folder} of_folder)
      file(STRINGS ${source} extern REGEX "^extern template" LIMIT_COUNT 1)
      if(extern)
        list(PREPEND ${of_folder} ${source})
      else()
        list(APPEND ${of_folder} ${source})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    string(MAKE_C_IDENTIFIER of_${folder} of_folder)
    file(RELATIVE_PATH place ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    list(REMOVE_ITEM sources ${${of_folder}})
    set(part 0)
    while(${of_folder})
      set(text "")
      foreach(one RANGE 1 5)
        list(POP_FRONT ${of_folder} source)
        if(source)
          string(APPEND text "#include \"${source}\"\n")
        endif()
      endforeach()
      set(together ${CMAKE_CURRENT_BINARY_DIR}/together/${place}/part_${part}_cuda.cu)
      file(CONFIGURE OUTPUT ${together} CONTENT "${text}" @ONLY)
      list(APPEND sources ${together})
      math(EXPR part "${part} + 1")
    endwhile()
  endforeach()
  set(${list} ${sources} PARENT_SCOPE)
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

# tessera_stage(name [TOGETHER] LINKS targets...): library tessera_<name> of every source below this folder, but in folders with a
# CMakeLists.txt of their own. *.cu, and *_cuda.cpp, belong to CUDA builds only; *_no_cuda.cpp to builds without. TOGETHER: the *.cu of a
# folder name nothing twice, so that builds of quick device code may compile several as one.
function(tessera_stage name)
  cmake_parse_arguments(stage "TOGETHER" "" "LINKS" ${ARGN})
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
    if(stage_TOGETHER AND TESSERA_HAVE_CUDA)
      tessera_together(sources)
    endif()
    # What calls device code never runs there, either.
    list(FILTER cuda_sources INCLUDE REGEX "\\.cpp$")
    set_property(SOURCE ${cuda_sources} APPEND PROPERTY COMPILE_OPTIONS -O0)
    set_property(SOURCE ${cuda_sources} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
  add_library(tessera_${name} STATIC ${sources})
  target_link_libraries(tessera_${name} PUBLIC tessera_flags ${stage_LINKS})
  tessera_precompiled(tessera_${name})
endfunction()
