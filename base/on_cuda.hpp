#pragma once

/// The CUDA column of a table of names: the function, or nothing in a build without CUDA.
#ifdef TESSERA_HAVE_CUDA
#define TESSERA_ON_CUDA(...) __VA_ARGS__
#define TESSERA_HAS_CUDA true
#else
#define TESSERA_ON_CUDA(...) nullptr
#define TESSERA_HAS_CUDA false
#endif
