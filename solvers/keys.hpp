#pragma once
// How a method declares the keys of [solver] that are its own: once, beside the method.
#include <any>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "deck/section.hpp"

namespace tessera::solvers {

struct SolverParams;

/// The Params of one method, in the type that the method declares, e.g. `.method = GmresParams{.restart = 60}`.
class Own {
 public:
  Own() = default;
  template <class P>
  requires(!std::is_same_v<std::remove_cvref_t<P>, Own>) Own(P&& params) : value_(std::forward<P>(params)) {}

  /// What was given; the defaults of P where nothing was, or the Params of another method.
  template <class P>
  const P& as() const {
    static const P defaults;
    const P* given = std::any_cast<P>(&value_);
    return given ? *given : defaults;
  }

 private:
  std::any value_;
};

/// Where the deck sets a key of [solver]; [solver] itself where it does not.
deck::Where place(const SolverParams& params, const std::string& key);

namespace detail {
/// Throws Error(usage) at the place of the key for a number out of its range, or a name that is no choice.
void require_in_range(const SolverParams& params, const deck::KeyDescription& key, bool open_max, double value,
                      bool integer);
void require_choice(const SolverParams& params, const deck::KeyDescription& key, const std::string& value);
}  // namespace detail

/// What `Keys` declares, without the type of the Params.
struct OwnKeys {
  std::vector<deck::KeyDescription> keys = {};
  std::function<Own(const deck::Deck&)> read = {};
  /// Throws Error(usage) for values that the schema refuses, or the method. `backend` may be empty: not known yet.
  std::function<void(const Own&, const SolverParams&, const std::string& backend)> check = {};

  bool has(const std::string& key) const {
    for (const deck::KeyDescription& own : keys)
      if (own.name == key) return true;
    return false;
  }
};

/// Declares the keys of the struct P, whose default member values are the defaults of the keys.
template <class P>
class Keys {
 public:
  /// `open_max`: info.max itself is not allowed.
  template <class T>
  Keys& key(const std::string& name, T P::*member, deck::KeyInfo info, bool open_max = false) {
    section_.key(name, member, std::move(info));
    const deck::KeyDescription description = section_.description().keys.back();
    return also([=](const P& own, const SolverParams& params, const std::string&) {
      if constexpr (std::is_same_v<T, std::string>)
        detail::require_choice(params, description, own.*member);
      else
        detail::require_in_range(params, description, open_max, static_cast<double>(own.*member),
                                 std::is_integral_v<T>);
    });
  }
  /// A check that a range cannot say.
  Keys& also(std::function<void(const P& own, const SolverParams&, const std::string& backend)> check) {
    checks_.push_back(std::move(check));
    return *this;
  }

  const deck::Section<P>& section() const { return section_; }
  void check(const P& own, const SolverParams& params, const std::string& backend) const {
    for (const auto& one : checks_) one(own, params, backend);
  }

  operator OwnKeys() const {
    return {section_.description().keys,
            [section = section_](const deck::Deck& deck) { return Own(section.read_declared(deck)); },
            [self = *this](const Own& own, const SolverParams& params, const std::string& backend) {
              self.check(own.as<P>(), params, backend);
            }};
  }

 private:
  deck::Section<P> section_{"solver", ""};
  std::vector<std::function<void(const P&, const SolverParams&, const std::string&)>> checks_;
};

}  // namespace tessera::solvers
