#pragma once
// The lines of an input deck of Abaqus or CalculiX, and what stands on them.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "mesh/mapped_file.hpp"

namespace tessera::mesh {

/// `*ELEMENT, TYPE=C3D8, ELSET=body` with the lines that continue it. Names are in upper case and without blanks.
struct AbaqusKeyword {
  struct Parameter {
    std::string name;
    std::string_view value;  ///< as it stands in the file, without blanks around it and without quotes
  };
  std::string name;  ///< without the star
  std::vector<Parameter> parameters;
  const char* at = nullptr;  ///< its star

  /// nullptr where it has no such parameter.
  const Parameter* find(std::string_view parameter) const;
};

/// Reads a deck from front to back, line by line, with the files that it includes. Views into the text, and pointers
/// to it, hold as long as the object. Comments and empty lines are passed over. Throws Error(mesh) with file and line
/// for whatever is wrong.
class AbaqusLines {
 public:
  explicit AbaqusLines(const std::filesystem::path& file);

  /// Goes to the next keyword, over what lies between; false: there is none. Text before the first keyword is an error.
  bool next_keyword(AbaqusKeyword& keyword);
  /// Goes to the next line of data of the keyword; false: the next line is a keyword, or there is none.
  bool next_data();
  /// The line of data, without blanks around it.
  std::string_view line() const { return line_; }
  /// Goes on with the lines of another file, then with those behind this one.
  void include(const std::string& name, const char* at);

  /// The place of a character of any of the files; none for nullptr.
  std::optional<Position> place(const char* at, std::size_t length = 1) const;
  /// Throws Error(mesh) at that place.
  [[noreturn]] void fail(const char* at, const std::string& what, const std::string& help,
                         std::size_t length = 1) const;
  /// The same for a field or a value.
  [[noreturn]] void fail(std::string_view text, const std::string& what, const std::string& help) const {
    fail(text.data(), what, help, text.size());
  }
  /// The name of the deck.
  std::string file() const { return files_.front().path.string(); }
  /// The place where reading stands.
  const char* here() const { return files_[reading_.back()].at; }
  /// Bytes of all files so far: what is made of them is measured by that.
  std::size_t bytes() const { return bytes_; }

 private:
  struct File {
    std::filesystem::path path;
    std::unique_ptr<MappedFile> mapped;
    const char* at;  ///< where reading goes on
    const char* end() const { return mapped->text().data() + mapped->text().size(); }
  };
  void open(const std::filesystem::path& path);
  bool next_line();         ///< the next line that is no comment, into line_
  bool next_line_of_all();  ///< the same, with included files in the place of *INCLUDE
  void read_keyword(AbaqusKeyword& keyword);
  bool unread_keyword();  ///< where the line is a keyword, it is the next line once more
  bool is_keyword() const { return line_.front() == '*'; }

  std::vector<File> files_;           ///< all that were opened
  std::vector<std::size_t> reading_;  ///< those that are being read: each includes the next
  std::string_view line_;
  bool started_ = false;  ///< there was a keyword
  std::size_t bytes_ = 0;
};

/// The fields of a line of data, between its commas.
class AbaqusFields {
 public:
  explicit AbaqusFields(std::string_view line) : rest_(line) {}
  /// The next field without blanks and quotes; false: there is none. An empty field behind the last comma is none.
  bool next(std::string_view& field);

 private:
  std::string_view rest_;
};

/// The text without blanks at its ends.
std::string_view trimmed(std::string_view text);
/// In upper case.
std::string upper_case(std::string_view text);

/// A field as a number of a node or an element: 1 or more.
Index abaqus_number(const AbaqusLines& lines, std::string_view field, const char* what);
/// A field as a real number, also with Fortran's exponents (1.5D-3); an empty one is 0.
double abaqus_real(const AbaqusLines& lines, std::string_view field);

}  // namespace tessera::mesh
