// Which of two evaluators to call, learnt from what their calls took.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace stiffly {

/// Calls are alike when step, tolerance and number of vectors are: each such regime learns for itself.
struct PhiRegime {
  int log2_step = 0;
  int log10_tolerance = 0;
  int vectors = 0;

  friend auto operator<=>(const PhiRegime&, const PhiRegime&) = default;
};

/// Two candidates, 0 and 1. The first two calls of a regime measure both (the second only as far as a budget
/// goes, so that a hopeless candidate costs little); from then on the faster is called, and the other looked
/// at again now and then, ever more rarely where it is far behind. Knows nothing of clocks: times come from
/// outside, so that tests can feed it any.
class EvaluatorChoice {
 public:
  struct Decision {
    int candidate;
    /// Time after which the call should be given up, where another candidate is known to need less.
    std::optional<double> budget;
  };

  /// `guess` is the candidate believed to be faster before anything was measured.
  Decision decide(const PhiRegime& regime, int guess);
  /// Whether both candidates were measured there: a guess is no longer of use.
  bool settled(const PhiRegime& regime) const;
  /// What a call of the candidate took; a refusal (or a spent budget) counts as infinite.
  void learn(const PhiRegime& regime, int candidate, double seconds);

 private:
  struct Record {
    std::array<double, 2> seconds = {0, 0};
    std::array<int, 2> calls = {0, 0};
    int since_other = 0;  ///< calls since the slower one was last tried
    int pauses = 1;       ///< to wait before it is tried again, where it is far behind
  };
  std::map<PhiRegime, Record> records_;
};

}  // namespace stiffly
