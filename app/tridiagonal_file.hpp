#pragma once
#include <string>
#include <vector>

namespace tessera::app {

/// One tridiagonal system. lower of the first row and upper of the last are 0 and not used.
struct TridiagonalRows {
  std::vector<double> lower, diag, upper;
  std::vector<double> rhs;  ///< empty where the file has none

  std::size_t size() const { return diag.size(); }
};

/// Reads a Matrix Market matrix (.mtx), or lines of lower, diag, upper and maybe rhs between commas or blanks, where #
/// starts a comment and the first line may name the columns. Throws Error(usage) with the place of what is no
/// tridiagonal system.
TridiagonalRows read_tridiagonal(const std::string& path);

/// A right-hand side for x_i = 1 + sin(i) / 2, formed in long double.
std::vector<double> made_right_hand_side(const TridiagonalRows& rows);

/// The solution by Gaussian elimination with partial pivoting in long double, rounded. Golub & Van Loan, section 4.3.
std::vector<double> reference_solution(const TridiagonalRows& rows);

}  // namespace tessera::app
