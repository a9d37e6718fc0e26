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

# tessera_stage(name LINKS targets...): library tessera_<name> of every source below this folder, but in folders with a CMakeLists.txt of
# their own. *.cu, and *_cuda.cpp,
# belong to CUDA builds only; *_no_cuda.cpp to builds without.
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
    # What calls device code never runs there, either.
    set_property(SOURCE ${cuda_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  endif()
  add_library(tessera_${name} STATIC ${sources})
  target_link_libraries(tessera_${name} PUBLIC tessera_flags ${stage_LINKS})
endfunction()
