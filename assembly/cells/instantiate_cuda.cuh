#pragma once
// Everything that `template class tessera::assembly::Assembler<tessera::Cuda, Form>;` needs: one CUDA source a form
// includes it.
#include "assembly/cells/add_cells.cuh"
#include "assembly/cells/gather_rows.cuh"
#include "assembly/cells/sum_partitions.cuh"

#include "assembly/cells/assembler_impl.hpp"
