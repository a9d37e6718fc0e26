#include "mesh/vtk_messages.hpp"

#include <SMP/Common/vtkSMPToolsAPI.h>
#include <vtkLogger.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>

namespace tessera::mesh {
namespace {

class Collector : public vtkOutputWindow {
 public:
  static Collector* New();
  vtkTypeMacro(Collector, vtkOutputWindow);
  void DisplayText(const char* text) override {
    if (text && messages.size() < 20000) messages += text;
  }
  std::string messages;
};
vtkStandardNewMacro(Collector);

}  // namespace

// vtkSMPTools.h is no C++20. With the threads of TBB VTK would start as many as there are cores, for nothing that a
// writer or reader does.
VtkMessages::VtkMessages() : before_(vtkOutputWindow::GetInstance()), window_(vtkSmartPointer<Collector>::New()) {
  vtk::detail::smp::vtkSMPToolsAPI::GetInstance().SetBackend("Sequential");
  vtkOutputWindow::SetInstance(window_);
  verbosity_ = vtkLogger::GetCurrentVerbosityCutoff();
  vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);  // errors reach the log as well as the window
}

VtkMessages::~VtkMessages() {
  vtkOutputWindow::SetInstance(before_);
  vtkLogger::SetStderrVerbosity(static_cast<vtkLogger::Verbosity>(verbosity_));
}

std::string VtkMessages::first() const {
  // "ERROR: In file, line n\nvtkClass (0x..): what\n\n"
  const std::string& text = static_cast<Collector*>(window_.Get())->messages;
  std::size_t from = text.find("): ");
  if (from == std::string::npos) return {};
  from += 3;
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace tessera::mesh
