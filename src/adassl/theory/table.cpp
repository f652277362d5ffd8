#include <algorithm>

#include <fmt/format.h>

#include "adassl/theory/theory.h"

namespace adassl::theory {

std::string table_of(const std::vector<Claim>& claims) {
  size_t map_width = 3;
  size_t claim_width = 5;
  for (const Claim& claim : claims) {
    map_width = std::max(map_width, claim.map.size());
    claim_width = std::max(claim_width, claim.claim.size());
  }
  std::string out;
  const auto line = [&](const std::string& proposition, const std::string& map,
                        const std::string& what, const std::string& measured,
                        const std::string& expected, const std::string& verdict) {
    out += fmt::format("{:<4}  {:<{}}  {:<{}}  {:>9}  {:<8}  {}\n", proposition, map, map_width,
                       what, claim_width, measured, expected, verdict);
  };
  line("prop", "map", "claim", "measured", "expected", "verdict");
  std::string last;
  for (const Claim& claim : claims) {
    const bool repeated = claim.map == last;
    if (!repeated) out += "\n";
    line(repeated ? "" : claim.proposition, repeated ? "" : claim.map, claim.claim,
         fmt::format("{:.3g}", claim.measured), claim.expected, claim.passed ? "pass" : "FAIL");
    last = claim.map;
  }
  const auto passed =
      std::count_if(claims.begin(), claims.end(), [](const Claim& claim) { return claim.passed; });
  return out + fmt::format("\n{} of {} claims pass\n", passed, claims.size());
}

}  // namespace adassl::theory
