#pragma once
// Sizes of the partitions of SPIKE-CR and of the pivoting variant, so that tests can stand at their borders.

namespace tessera::solvers::tridiagonal {

/// Rows that a lane of a warp packs into registers. 5 / 7 / 9: 0.301 / 0.293 / 0.292 ms for 2^24 rows, 0.065 / 0.070 /
/// 0.062 for 4095 systems of 1023 (H200, double, 2026-11-21).
inline constexpr int spike_cr_rows = 7;
/// Most warps that share a system in one block.
inline constexpr int spike_cr_warps = 16;
/// Largest system that one block solves with one reading of its data.
inline constexpr int spike_cr_block_rows = 32 * spike_cr_rows * spike_cr_warps;

/// Rows of a partition of the pivoting variant, one thread each; even, for its rows come in pairs. 8 / 12 / 16: 0.517 /
/// 0.450 / 0.464 ms for 2^24 rows (H200, double, 2026-11-21).
inline constexpr int pivoting_rows = 12;
/// Rows of a partition with diagonal pivoting, one thread each. Even, so that a zero diagonal leaves it regular. 10 /
/// 14 / 18: 0.489 / 0.513 / 0.536 ms for 2^24 rows (H200, double, 2026-11-21).
inline constexpr int diagonal_rows = 14;

/// Rows at which cr_pcr goes over from CR to PCR: about what one level of threads of a multiprocessor holds.
inline constexpr int cr_pcr_rows = 512;

/// Rows up to which the host solves a (reduced) system by one thread.
inline constexpr int host_sequential_rows = 256;

}  // namespace tessera::solvers::tridiagonal
