#include "adassl/report/axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace adassl::report {
namespace {

std::vector<double> sorted_finite(const std::vector<double>& values) {
  std::vector<double> out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out),
               [](double value) { return std::isfinite(value); });
  std::sort(out.begin(), out.end());
  return out;
}

// Beyond these limits the length of an interval, or a tenth of it, does not fit into a double.
constexpr double kLargest = 1e300, kSmallest = 1e-300;

/// Widens an interval without length. Ends that differ only in their last digits count as equal,
/// because no tick would fit between them.
Interval with_length(Interval range) {
  range = {std::clamp(range.low, -kLargest, kLargest), std::clamp(range.high, -kLargest, kLargest)};
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low > std::max(1e-12 * size, kSmallest)) return range;
  const double pad = size <= kSmallest ? 0.5 : size * 0.1;
  return {range.low - pad, range.high + pad};
}

constexpr double kSlack = 1e-9;  // a tolerance, so that an end that is a tick counts as one

std::vector<double> multiples(double step, double first, double last) {
  std::vector<double> out;
  for (double k = first; k <= last; ++k) out.push_back(k == 0 ? 0 : k * step);
  return out;
}

double nice_step(Interval range, int count) {
  const double rough = (range.high - range.low) / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.9999) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Interval range_of(const std::vector<double>& values) {
  const std::vector<double> sorted = sorted_finite(values);
  if (sorted.empty()) return {0, 1};
  return with_length({sorted.front(), sorted.back()});
}

RobustRange robust_range_of(const std::vector<double>& values) {
  const std::vector<double> sorted = sorted_finite(values);
  if (sorted.size() < 20) return {range_of(values), false};
  const size_t margin = sorted.size() / 50;
  const Interval full = range_of(values);
  const Interval inner = with_length({sorted[margin], sorted[sorted.size() - 1 - margin]});
  const bool cut = full.high - full.low > 3 * (inner.high - inner.low);
  return {cut ? inner : full, cut};
}

std::vector<double> nice_ticks(Interval range, int count) {
  range = with_length(range);
  const double step = nice_step(range, count);
  return multiples(step, std::ceil(range.low / step - kSlack),
                   std::floor(range.high / step + kSlack));
}

Axis nice_axis(Interval range, int count) {
  range = with_length(range);
  const double step = nice_step(range, count);
  const double first = std::floor(range.low / step + kSlack);
  const double last = std::ceil(range.high / step - kSlack);
  return {{first * step, last * step}, multiples(step, first, last)};
}

std::vector<std::string> tick_texts(const std::vector<double>& ticks) {
  std::vector<std::string> out;
  if (ticks.empty()) return out;
  double step = ticks.size() > 1 ? ticks[1] - ticks[0] : ticks[0] == 0 ? 1 : std::abs(ticks[0]);
  const double largest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  std::string unit;
  double divisor = 1;
  if (largest >= 1e6) {
    divisor = 1e6;
    unit = "M";
  } else if (largest >= 1e3) {
    divisor = 1e3;
    unit = "k";
  }
  step /= divisor;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  for (const double tick : ticks) {
    out.push_back(
        tick == 0 && divisor > 1 ? "0" : fmt::format("{:.{}f}{}", tick / divisor, decimals, unit));
  }
  return out;
}

std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, Interval within) {
  const size_t count = wanted.size();
  if (count == 0) return {};
  if (count > 1) gap = std::min(gap, (within.high - within.low) / static_cast<double>(count - 1));
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return wanted[a] < wanted[b]; });
  // With shifted targets wanted[i] - i * gap the task is isotonic regression: pool neighbours that
  // stand in the wrong order into blocks that share their mean.
  struct Block {
    double sum;
    size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back({wanted[order[i]] - static_cast<double>(i) * gap, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  const double top = std::max(within.low, within.high - static_cast<double>(count - 1) * gap);
  std::vector<double> out(count);
  size_t i = 0;
  for (const Block& block : blocks) {
    for (size_t k = 0; k < block.size; ++k, ++i) {
      out[order[i]] = std::clamp(block.mean(), within.low, top) + static_cast<double>(i) * gap;
    }
  }
  return out;
}

}  // namespace adassl::report
