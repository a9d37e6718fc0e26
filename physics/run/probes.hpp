#pragma once
// Values at points through time.
#include <functional>
#include <map>
#include <optional>

#include "linalg/crs.hpp"
#include "output/probe_series.hpp"
#include "physics/model.hpp"
#include "physics/module.hpp"

namespace tessera::physics {

/// The probes of a run: a value is a product of a row of weights with u, so that a device gives nothing else away. Of
/// a point on several cells it is the value in the first one of the mesh; each rank has the weights of its own dofs.
class Probes {
 public:
  /// Model::receiver.
  using Receivers = std::function<std::optional<Receiver>(const mesh::PointLocator&, const ProbeParams&)>;
  /// `t`: the time at which a run goes on with the tables that are there. Collective where ranks share the run.
  Probes(const CommonParams& params, const FieldInfo& field, const Discretisation& space, const Context& context,
         std::optional<double> t, const Receivers& receivers);

  bool is_due(Offset step) const;
  /// [probes, rows of all that a rank sees], with entries of those that it owns alone
  const linalg::Crs<Host>& weights() const { return weights_; }
  /// The same, with the rows of probes of the rate of change; no rows: there are none.
  const linalg::Crs<Host>& rate_weights() const { return rate_weights_; }
  /// The same of the rate of that.
  const linalg::Crs<Host>& acceleration_weights() const { return acceleration_weights_; }
  /// values [probes] = weights() u + rate_weights() du/dt + acceleration_weights() d2u/dt2 after this step. Collective.
  void add(Offset step, double t, std::vector<double> values);
  /// What was added is in the files.
  void flush();

 private:
  /// The table of all probes with values at the same steps.
  struct Table {
    int every = 1;
    std::vector<std::size_t> probes;
    std::optional<output::ProbeSeries> file;  ///< on the root
  };

  const Share* share_;
  linalg::Crs<Host> weights_, rate_weights_, acceleration_weights_;
  std::vector<Table> tables_;
};

}  // namespace tessera::physics
