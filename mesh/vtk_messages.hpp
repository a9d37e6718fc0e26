#pragma once
#include <string>

#include <vtkSmartPointer.h>

class vtkOutputWindow;

namespace tessera::mesh {

/// While it lives, what VTK would print to stderr is collected instead, for our own messages.
class VtkMessages {
 public:
  VtkMessages();
  ~VtkMessages();
  VtkMessages(const VtkMessages&) = delete;
  /// First error of VTK in one line; empty when there was none.
  std::string first() const;

 private:
  vtkSmartPointer<vtkOutputWindow> before_, window_;
  int verbosity_ = 0;
};

}  // namespace tessera::mesh
