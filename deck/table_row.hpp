#pragma once
// Rows of tables in text files: numbers with a comma, a semicolon or blanks between them.
#include <string_view>

namespace tessera::deck {

/// Takes what a row begins with: blanks and a number. False where there is none.
bool take_number(std::string_view& row, double& number);
/// Takes blanks, with one comma or semicolon among them. False where there is neither.
bool take_separator(std::string_view& row);
/// The line of a table without what editors and spreadsheets put around it; `first`: of the file. Empty where it is
/// blank or a comment, which begins with #.
std::string_view table_line(std::string_view line, bool first);

}  // namespace tessera::deck
