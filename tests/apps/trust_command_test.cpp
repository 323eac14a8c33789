// `reproduce trust`: the page of what can be trusted.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "temporary_folder.hpp"

#ifdef STIFFLY_PROGRAM

namespace stiffly::test {
namespace {

using Json = nlohmann::json;

TEST(TrustCommand, AnswersWhatTheoryKnows) {
  const TemporaryFolder folder;
  const Result r = run(folder, "reproduce trust --rows answer-pendulum,answer-bar,answer-truss -o out");
  ASSERT_EQ(r.code, 0) << r.error;
  for (const char* name : {"answer-pendulum", "answer-bar", "answer-truss"}) {
    const Json answer =
        Json::parse(contents(folder / "out" / "trust" / (name + std::string(".json"))))["answer"];
    ASSERT_TRUE(answer.contains("measured")) << answer;
    EXPECT_NEAR(answer["measured"].get<double>() / answer["known"].get<double>(), 1, 1e-3) << answer;
  }
  const std::string page = contents(folder / "out" / "trust.md");
  EXPECT_NE(page.find("| period of a pendulum on a spring of 3e7 N/m"), std::string::npos) << page;
}

TEST(TrustCommand, UnknownRowsAreRefused) {
  const TemporaryFolder folder;
  const Result r = run(folder, "reproduce trust --rows answer-pendulums -o out");
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.error.find("answer-pendulum"), std::string::npos) << r.error;
}

}  // namespace
}  // namespace stiffly::test

#endif
