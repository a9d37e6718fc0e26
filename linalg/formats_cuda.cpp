#include "linalg/formats_operator.hpp"

namespace tessera::linalg {

TESSERA_MAKERS_OF_OPERATORS(template, Cuda, double);
TESSERA_MAKERS_OF_OPERATORS(template, Cuda, float);

template std::unique_ptr<Operator<Cuda, double>> make_operator(Cuda&, const Crs<Device, double>&, const std::string&,
                                                               std::string*);
template std::unique_ptr<Operator<Cuda, float>> make_operator(Cuda&, const Crs<Device, float>&, const std::string&,
                                                              std::string*);

template std::unique_ptr<Operator<Cuda, double>> make_operator(Cuda&, const BlockCrs<Device, double>&,
                                                               const std::string&, std::string*);
template std::unique_ptr<Operator<Cuda, float>> make_operator(Cuda&, const BlockCrs<Device, float>&, const std::string&,
                                                              std::string*);

}  // namespace tessera::linalg
