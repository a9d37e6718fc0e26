#pragma once
// What of the tables of methods and preconditioners fits what a module offers, and who reads a key.
#include <string>
#include <vector>

#include "solvers/method.hpp"
#include "solvers/precondition/preconditioner.hpp"

namespace tessera::solvers {

/// Whether a module that offers this has the method at all; one that takes the matrix for symmetric is then refused by
/// name.
bool has_place(const Needs& needs, const Offers& offers);
bool fits(const Needs& needs, const Offers& offers);
/// What the method needs and the module does not offer: "a uniform grid with constant coefficients".
std::string lacking(const Needs& needs, const Offers& offers);

/// The rows of the tables that fit.
std::vector<MethodEntry> solvers_for(const Offers& offers);
std::vector<PreconditionerEntry> preconditioners_for(const Offers& offers);
/// What preconditioner = "auto" stands for in every run of what a module offers.
const char* preconditioner_for(const Offers& offers);
/// The row that `params` names; nullptr: none.
const PreconditionerEntry* find_preconditioner(const SolverParams& params);

/// The keys that methods share. Names are checked against the tables, which know more of them.
const Keys<SolverParams>& shared_keys();
/// Those of these rows that read the key.
std::vector<std::string> readers(const std::vector<MethodEntry>& table, const std::string& key);
std::vector<std::string> readers(const std::vector<PreconditionerEntry>& table, const std::string& key);

}  // namespace tessera::solvers
