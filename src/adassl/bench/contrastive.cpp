#include "adassl/model/objectives/contrastive.h"

#include <memory>

#include <fmt/format.h>

#include "adassl/bench/cases.h"
#include "adassl/core/host.h"
#include "adassl/nn/contrastive_function.h"
#include "adassl/nn/tensors.h"

namespace adassl::bench {
namespace {

constexpr double kTau = 0.1;

struct ContrastiveParts {
  ContrastiveParts(int64_t n, int64_t d)
      : q(normal(n, d, "q").requires_grad_()),
        k(normal(n, d, "k").requires_grad_()),
        lambda(torch::ones({}, torch::kFloat32).requires_grad_()) {}
  Tensor q, k, lambda;
  kernels::ContrastiveWorkspace workspace;
};

enum class Reference { kProject, kTextbook };

void reference_loss(const ContrastiveParts& parts, Reference which) {
  const Tensor q = nn::normalise(parts.q);
  const Tensor k = nn::normalise(parts.k);
  const Tensor loss =
      which == Reference::kTextbook
          ? textbook_loss(q, k, parts.lambda, kTau)
          : model::softmax_cross_entropy(model::distance_logits(q, k, parts.lambda, kTau), {});
  loss.backward();
}

/// About six matrices at once; half of what is there, since others may want some too.
bool reference_fits(int64_t n) {
  const double bytes = 6.0 * sizeof(float) * static_cast<double>(n) * static_cast<double>(n);
  return bytes <= static_cast<double>(host::available_memory()) / 2;
}

Work contrastive_work(int64_t n, int64_t d, Reference which) {
  auto parts = std::make_shared<ContrastiveParts>(n, d);
  Work work{.fused =
                [parts] {
                  nn::contrastive_function(parts->q, parts->k, {}, parts->lambda, {.tau = kTau},
                                           parts->workspace)
                      .backward();
                },
            .reference = {},
            // Logits and two gradients; exponentials are not counted.
            .flops = 3.0 * 2.0 * static_cast<double>(n * n * d),
            .extra_bytes = [parts] { return parts->workspace.bytes(); }};
  if (reference_fits(n)) work.reference = [parts, which] { reference_loss(*parts, which); };
  return work;
}

/// q to k and k to q, which share one matrix of logits.
Work two_way_work(int64_t n, int64_t d) {
  auto parts = std::make_shared<ContrastiveParts>(n, d);
  Work work = contrastive_work(n, d, Reference::kProject);  // as many products
  work.extra_bytes = [parts] { return parts->workspace.bytes(); };
  work.fused = [parts] {
    nn::two_way_contrastive_function(parts->q, parts->k, parts->lambda, {.tau = kTau},
                                     parts->workspace)
        .backward();
  };
  work.reference = [parts] {
    const Tensor q = nn::normalise(parts->q);
    const Tensor k = nn::normalise(parts->k);
    const auto direction = [&](const Tensor& from, const Tensor& to) {
      return model::softmax_cross_entropy(model::distance_logits(from, to, parts->lambda, kTau),
                                          {});
    };
    ((direction(q, k) + direction(k, q)) / 2).backward();
  };
  return work;
}

Case two_way_case(int threads, int64_t n, int64_t d) {
  return {fmt::format("contrastive, both directions, N={} d={}", n, d), threads,
          [=] { return two_way_work(n, d); }};
}

Case contrastive_case(int threads, int64_t n, int64_t d, Reference which) {
  const std::string name =
      which == Reference::kTextbook
          ? fmt::format("contrastive, N={} d={} (reference: textbook formula)", n, d)
          : fmt::format("contrastive loss + gradients, N={} d={}", n, d);
  return {name, threads, [=] { return contrastive_work(n, d, which); }};
}

}  // namespace

Tensor textbook_loss(const Tensor& q, const Tensor& k, const Tensor& lambda, double tau) {
  const Tensor distances =
      q.square().sum(1).unsqueeze(1) + k.square().sum(1).unsqueeze(0) - 2 * q.matmul(k.t());
  return -torch::log_softmax(-lambda / tau * distances, 1).diagonal().mean();
}

std::vector<Case> contrastive_cases(int threads) {
  return {contrastive_case(threads, kBatch, 11, Reference::kProject),
          contrastive_case(threads, kBatch, 11, Reference::kTextbook),
          contrastive_case(threads, kBatch, 128, Reference::kProject),
          contrastive_case(threads, kBatch, 128, Reference::kTextbook),
          two_way_case(threads, kBatch, 11)};
}

std::vector<Case> contrastive_scaling_cases(int threads) {
  std::vector<Case> out;
  for (int64_t n = 512; n <= 65536; n *= 2) {
    if (n == kBatch) continue;  // is there already
    out.push_back(contrastive_case(threads, n, 128, Reference::kProject));
  }
  for (int64_t d = 8; d <= 512; d *= 2) {
    if (d == 128) continue;
    out.push_back(contrastive_case(threads, kBatch, d, Reference::kProject));
  }
  return out;
}

}  // namespace adassl::bench
