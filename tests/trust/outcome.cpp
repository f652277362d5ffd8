#include "trust/outcome.h"

#include <iostream>

#include <nlohmann/json.hpp>

namespace adassl::trust {

int conclude(const Outcome& outcome) {
  for (const std::string& line : outcome.violations) std::cout << "violation: " << line << "\n";
  const nlohmann::ordered_json summary = {{"promise", outcome.promise},
                                          {"tried", outcome.tried},
                                          {"held", outcome.tried - outcome.violations.size()},
                                          {"seconds", outcome.seconds},
                                          {"worst", outcome.worst}};
  std::cout << summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  return outcome.violations.empty() ? 0 : 1;
}

}  // namespace adassl::trust
