#pragma once
// colour, colour_blocks, atomic and the first pass of two_pass on CUDA.
#include "assembly/cells/launch.cuh"

namespace tessera::assembly {
namespace kernels {

/// Cells first .. first + count, `lanes` threads each.
template <class Element, class Sink>
__global__ void __launch_bounds__(cells_block) each_cell(Element element, Sink sink, Offset first, Offset count) {
  extern __shared__ double shared[];
  const int groups = blockDim.x / Element::lanes;
  const int group = threadIdx.x / Element::lanes;
  const ElementMemory memory = element.memory();
  double* work = shared + memory.tables / sizeof(double) + group * (memory.work / sizeof(double));
  element.prepare(shared);
  __syncthreads();
  const Offset item = blockIdx.x * static_cast<Offset>(groups) + group;
  if (item >= count) return;  // whole groups
  element.add(first + item, threadIdx.x % Element::lanes, shared, work, GlobalGeometry{element.block}, sink);
}

/// A partition a block: its cells colour by colour, so that neighbours are at work in the same cache.
template <class Element, class Sink>
__global__ void __launch_bounds__(cells_block) each_partition(Element element, Sink sink, const Index* partitions,
                                                              const Index* step_ptr, const Index* step_first) {
  extern __shared__ double shared[];
  const int groups = blockDim.x / Element::lanes;
  const int group = threadIdx.x / Element::lanes;
  const ElementMemory memory = element.memory();
  double* work = shared + memory.tables / sizeof(double) + group * (memory.work / sizeof(double));
  element.prepare(shared);
  __syncthreads();
  const Index partition = partitions[blockIdx.x];
  for (Index step = step_ptr[partition]; step + 1 < step_ptr[partition + 1]; ++step) {
    for (Offset place = step_first[step] + group; place < step_first[step + 1]; place += groups)
      element.add(place, threadIdx.x % Element::lanes, shared, work, GlobalGeometry{element.block}, sink);
    __syncthreads();  // the next colour reads what this one wrote
  }
}

}  // namespace kernels

template <class Element, class Sink>
void launch_cells(Cuda& exec, const Element& element, const Sink& sink, Offset first, Offset count) {
  if (count <= 0) return;
  const ElementMemory memory = element.memory();
  const int groups = groups_of_block(memory, Element::lanes, shared_for_groups());
  const std::size_t shared = memory.tables + groups * memory.work;
  launch_with_shared(exec, kernels::each_cell<Element, Sink>, (count + groups - 1) / groups, groups * Element::lanes,
                     shared, element, sink, first, count);
}

/// Colours of partitions, a launch each.
template <class Element, class Sink>
void launch_partitions(Cuda& exec, const Element& element, const Sink& sink, const Partitions<Device>& partitions) {
  const ElementMemory memory = element.memory();
  const int groups = groups_of_block(memory, Element::lanes, shared_for_groups());
  const std::size_t shared = memory.tables + groups * memory.work;
  for (std::size_t colour = 0; colour + 1 < partitions.colour_ptr.size(); ++colour) {
    const Offset first = partitions.colour_ptr[colour];
    launch_with_shared(exec, kernels::each_partition<Element, Sink>, partitions.colour_ptr[colour + 1] - first,
                       groups * Element::lanes, shared, element, sink, partitions.by_colour.data() + first,
                       partitions.step_ptr.data(), partitions.step_first.data());
  }
}

/// Calls launch(element, sink) for the cells of a block, whose values are added.
template <class Form, class Launch>
void with_addition(const BlockData<Device>& block, const Form& form, const Target& target, bool atomic, Launch launch) {
  kernels::with_element<true>(block, form, [&](const auto& element) {
    using Element = std::remove_cvref_t<decltype(element)>;
    launch(element, kernels::adding_sink<Form, Element>(block.view, target, atomic));
  });
}

/// colour: a launch each.
template <class Form>
void add_colours(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target) {
  with_addition(block, form, target, false, [&](const auto& element, const auto& sink) {
    for (std::size_t colour = 0; colour + 1 < block.colour_ptr.size(); ++colour)
      launch_cells(exec, element, sink, block.colour_ptr[colour],
                   block.colour_ptr[colour + 1] - block.colour_ptr[colour]);
  });
}

/// colour_blocks.
template <class Form>
void add_partitions(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target) {
  with_addition(block, form, target, false, [&](const auto& element, const auto& sink) {
    launch_partitions(exec, element, sink, block.partitions);
  });
}

/// atomic: all cells at once.
template <class Form>
void add_atomically(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target) {
  with_addition(block, form, target, true,
                [&](const auto& element, const auto& sink) { launch_cells(exec, element, sink, 0, block.cells); });
}

/// Values e < entries() of places first .. first + count to buffer[(place - first) * steps.place + e * steps.entry],
/// see value_steps().
template <class Form>
void store_cells(Cuda& exec, const BlockData<Device>& block, const Form& form, Index first, Index count,
                 double* buffer) {
  const ValueSteps steps = value_steps(block, count);
  kernels::with_element(block, form, [&](const auto& element) {
    using Element = std::remove_cvref_t<decltype(element)>;
    const auto sink = kernels::storing_sink<Form, Element>(block.view, buffer, steps, first);
    launch_cells(exec, element, sink, first, count);
  });
}

}  // namespace tessera::assembly
