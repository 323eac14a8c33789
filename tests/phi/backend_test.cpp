// Every evaluator runs on a backend that is not the host, and gives the same bits there.
#include <gtest/gtest.h>

#include "guarded_backend.hpp"
#include "phi/krylov_checks.hpp"
#include "stiffly/phi/registry.hpp"

namespace stiffly::testing {
namespace {

/// Values and report, or why there are none.
struct Outcome {
  std::vector<std::vector<double>> values;
  std::vector<double> errors;
  int products = 0, solves = 0, substeps = 0;
  std::string refusal;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(const EvaluatorInfo& info, const LinearOperator& J, const Case& c,
                const std::vector<Vector>& b) {
  Outcome out;
  try {
    const auto evaluator = info.make();
    for (int call = 0; call < 2; ++call) {  // the second one with what the first has learnt
      const PhiResult result = evaluator->evaluate({J, c.step, views(b), c.nodes, c.tolerance});
      for (const Vector& value : result.values) {
        EXPECT_EQ(&value.backend(), &J.backend());
        out.values.push_back(to_host(value));
      }
      out.errors = result.report.error_estimates;
      out.products += result.report.products;
      out.solves += result.report.solves;
      out.substeps += result.report.substeps;
    }
  } catch (const PhiRefusal& refusal) {
    out.refusal = refusal.what();
  }
  return out;
}

TEST(BackendTest, EveryEvaluator) {
  std::vector<Case> cases = {chain(30, 1e-6, true), chain(300, 1e-8, false)};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) cases.push_back(make_case(seed));
  for (const EvaluatorInfo& info : evaluators()) {
    int done = 0;
    for (const Case& c : cases) {
      if (info.name == "auto" && c.J.size() > 40) continue;  // chooses by the clock
      SCOPED_TRACE(info.name + " " + c.label);
      std::vector<Vector> b;
      for (const Vector& v : c.b) b.push_back(test::guarded(v));
      const Outcome expected = outcome(info, c.J, c, c.b);
      const test::GuardedBackend& backend = test::guarded_backend();
      const long operations = backend.operations, downloads = backend.downloads;
      const Outcome found = outcome(info, test::GuardedOperator(c.J), c, b);
      EXPECT_EQ(found, expected) << found.refusal << " / " << expected.refusal;
      if (!found.refusal.empty()) continue;
      ++done;
      EXPECT_GT(backend.operations, operations);
      // Nothing but the results, which are looked at above, leaves the device; unless the matrix is written
      // out.
      if (info.family == "polynomial" || info.family == "rational") {
        EXPECT_EQ(backend.downloads - downloads, static_cast<long>(found.values.size()));
      }
    }
    EXPECT_GE(done, 5) << info.name;
  }
}

}  // namespace
}  // namespace stiffly::testing
