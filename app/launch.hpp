#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/ranks.hpp"
#include "base/error.hpp"
#include "deck/deck.hpp"

namespace tessera::app {

/// In the environment of what this program starts: how many ranks that are to be. Whoever finds it starts none.
inline constexpr const char* ranks_are_started = "TESSERA_RANKS";

/// Why this program cannot start ranks here: half of a sentence, and what to do. None: it can.
struct NoLauncher {
  std::string why, help;
};
std::optional<NoLauncher> why_no_launcher();

/// Whether the launcher says what became of ranks, beside what they say themselves.
enum class Voice { of_ranks, of_launcher };
/// The words that start this program as so many ranks, on this machine or on those that mpirun finds allocated, or as
/// one, its arguments to follow. Makes the environment ready for them.
std::vector<std::string> words_of_launch(int ranks, Voice voice);

/// Makes standard input one that can be read again from where it is now, here or by what takes the place of this
/// process: a pipe is read to its end.
void keep_standard_input();
void again_from_standard_input();

/// What became of the ranks that a deck asks for.
struct Launch {
  std::optional<ExitCode> ended = {};  ///< they have run, and ended so
  std::optional<Error> refusal = {};   ///< why they cannot be started
};
/// Where nobody has launched this run and its deck asks for several ranks, starts these with the arguments of this call
/// and stands by until they end: signals reach them, and what is said is theirs. `before` they are started it lets go
/// of what a run here would need. What is wrong with the deck for one rank, too, that one is left to say. Where a
/// launcher has started another number of ranks than the deck asks for, says it once, as a warning where the option
/// asks.
Launch launch(const deck::Deck& deck, const DeckOptions& options, const Ranks& ranks,
              const std::function<void()>& before);

}  // namespace tessera::app
