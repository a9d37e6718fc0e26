#pragma once
// [time] of models that make their steps themselves, some of them by implicit schemes.
#include "physics/sections.hpp"

namespace tessera::physics {

/// Whether schemes that such a model has, Traits::schemes, are not all explicit.
bool has_implicit(const std::vector<std::string>& schemes);

/// time_section of a flow: as the longest explicit steps are known of every scheme, an implicit one may have a cfl,
/// above 1, too. Of no schemes: whatever [time] may say.
deck::Section<TimeParams> time_section_of_flow(const std::vector<std::string>& schemes = {});
/// read_time of a flow.
std::optional<TimeParams> read_time_of_flow(const deck::Deck& deck, const std::vector<std::string>& schemes,
                                            const std::string& scheme);

}  // namespace tessera::physics
