#include "linalg/formats_operator.hpp"

namespace tessera::linalg {

TESSERA_MAKERS_OF_OPERATORS(template, Threads, double);
TESSERA_MAKERS_OF_OPERATORS(template, Threads, float);

template std::unique_ptr<Operator<Threads, double>> make_operator(Threads&, const Crs<Host, double>&,
                                                                  const std::string&, std::string*);
template std::unique_ptr<Operator<Threads, float>> make_operator(Threads&, const Crs<Host, float>&, const std::string&,
                                                                 std::string*);

template std::unique_ptr<Operator<Threads, double>> make_operator(Threads&, const BlockCrs<Host, double>&,
                                                                  const std::string&, std::string*);
template std::unique_ptr<Operator<Threads, float>> make_operator(Threads&, const BlockCrs<Host, float>&,
                                                                 const std::string&, std::string*);

}  // namespace tessera::linalg
