#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Options are plain structs that are visited. A part declares each option once, with its name,
/// default, range and help text:
///
///     struct Options {
///       int64_t dim = 5;
///       void visit(Fields& field) { field("dim", dim, "size of r", {1, 4096}); }
///     };
///
/// and everything else comes from the visit: reading files and `key=value` overrides (config.h),
/// the resolved configuration of a run, `adassl list` and the reference page of the docs. `Fields`
/// is an interface and not a template parameter, so that a part's visit is compiled once.
namespace adassl {

using Scalar = std::variant<bool, int64_t, double, std::string>;
using Value = std::variant<bool, int64_t, double, std::string, std::vector<Scalar>>;

std::string to_toml(const Value& value);

struct Range {
  double min;
  double max;
};

using Choices = std::vector<std::string>;

class Fields {
 public:
  virtual ~Fields() = default;
  virtual void operator()(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void operator()(std::string_view name, int64_t& value, std::string_view help,
                          Range range) = 0;
  virtual void operator()(std::string_view name, double& value, std::string_view help,
                          Range range) = 0;
  /// Free text, or one of `choices` if there are any.
  virtual void operator()(std::string_view name, std::string& value, std::string_view help,
                          const Choices& choices = {}) = 0;
  /// Every element must lie within the range.
  virtual void operator()(std::string_view name, std::vector<int64_t>& value, std::string_view help,
                          Range range) = 0;
  virtual void operator()(std::string_view name, std::vector<double>& value, std::string_view help,
                          Range range) = 0;
  virtual void operator()(std::string_view name, std::vector<std::string>& value,
                          std::string_view help, const Choices& choices = {}) = 0;
  /// A path of a file or a folder, or one of `words`. It is read like any other text.
  virtual void path(std::string_view name, std::string& value, std::string_view help,
                    const Choices& /*words*/ = {}) {
    (*this)(name, value, help);
  }
};

/// One line of `adassl list`.
struct FieldDescription {
  std::string name;
  std::string type;
  std::string value;    // the default, as TOML
  std::string allowed;  // range or choices, empty when every value is allowed; of a path, its words
  std::string help;
};

/// The type of an option whose value is a path.
inline constexpr std::string_view kPathType = "path";

/// Collects the descriptions of a visited struct's options.
class Describer final : public Fields {
 public:
  void operator()(std::string_view name, bool& value, std::string_view help) override;
  void operator()(std::string_view name, int64_t& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, double& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::string& value, std::string_view help,
                  const Choices& choices) override;
  void operator()(std::string_view name, std::vector<int64_t>& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::vector<double>& value, std::string_view help,
                  Range range) override;
  void operator()(std::string_view name, std::vector<std::string>& value, std::string_view help,
                  const Choices& choices) override;
  void path(std::string_view name, std::string& value, std::string_view help,
            const Choices& words) override;

  std::vector<FieldDescription> fields;
};

template <class Options>
std::vector<FieldDescription> describe() {
  Options defaults;
  Describer describer;
  defaults.visit(describer);
  return describer.fields;
}

}  // namespace adassl
