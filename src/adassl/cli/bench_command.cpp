#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adassl/cli/commands.h"
#include "adassl/model/objectives/contrastive.h"
#include "adassl/nn/mlp.h"
#include "adassl/nn/tensors.h"
#include "adassl/study/experiment.h"

namespace adassl::cli {
namespace {

struct Row {
  std::string name;
  double milliseconds;  // median
};

double median_milliseconds(int repeats, const std::function<void()>& work) {
  work();  // the first is not counted: pages and caches are cold
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return 1e3 * times[static_cast<size_t>(repeats / 2)];
}

Row contrastive_row(int repeats, int64_t n, int64_t d) {
  const random::Stream stream(1, "bench");
  const Tensor like = torch::empty({0});
  const Tensor q = nn::normalise(nn::normal(n, d, stream.named("q"), like)).requires_grad_();
  const Tensor k = nn::normalise(nn::normal(n, d, stream.named("k"), like)).requires_grad_();
  const Tensor lambda = torch::ones({}).requires_grad_();
  return {fmt::format("contrastive loss + gradients, N={} d={}", n, d),
          median_milliseconds(repeats, [&] {
            const Tensor logits = model::distance_logits(q, k, lambda, 0.1);
            model::softmax_cross_entropy(logits, {}).backward();
          })};
}

Row encoder_row(int repeats, int64_t n) {
  const auto mlp = std::make_shared<nn::Mlp>(
      nn::MlpShape{.in = 10, .hidden = {100, 100, 100, 100}, .out = 11, .slope = 0.01});
  nn::initialise(*mlp, 1);
  const Tensor x = nn::normal(n, 10, {1, "bench"}, torch::empty({0}));
  return {fmt::format("encoder forward + backward, N={}", n),
          median_milliseconds(repeats, [&] { mlp->forward(x).sum().backward(); })};
}

study::Experiment experiment(const std::string& method) {
  Config config = Config::from_text("", "bench");
  config.override_with("method=" + method);
  config.override_with("data.mixing_candidates=100");
  return study::build_experiment(config);
}

Row step_row(int repeats, const std::string& method) {
  const study::Experiment e = experiment(method);
  training::State state(*e.method, e.optimizer);
  const Batch batch = e.source->pairs({e.seed, "bench"}, e.loop.batch);
  int64_t step = 0;
  return {fmt::format("whole step without data, {}, N={}", method, e.loop.batch),
          median_milliseconds(repeats, [&] {
            state.optimizer.zero_gradients();
            const auto loss = e.method->forward(model::views(batch), ++step, {e.seed, "bench"});
            loss.total.backward();
            state.optimizer.step(step, state.optimizer.gradient_norm());
          })};
}

Row data_row(int repeats) {
  const study::Experiment e = experiment("adassl-v");
  uint64_t step = 0;
  return {fmt::format("numerical pairs, complex, N={}", e.loop.batch),
          median_milliseconds(repeats, [&] {
            e.source->pairs({1, "bench", step++}, e.loop.batch);
          })};
}

}  // namespace

void add_bench(CLI::App& app, Context&) {
  struct Arguments {
    int repeats = 11;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("bench", "how fast the pieces of a step are here");
  command->add_option("--repeats", arguments->repeats, "times each is measured; the median counts")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--json", arguments->json, "one object a row");
  command->callback([arguments] {
    const int repeats = arguments->repeats;
    const std::vector<std::function<Row()>> rows = {
        [=] { return data_row(repeats); },
        [=] { return encoder_row(repeats, 2048); },
        [=] { return contrastive_row(repeats, 2048, 11); },
        [=] { return contrastive_row(repeats, 2048, 128); },
        [=] { return step_row(repeats, "infonce"); },
        [=] { return step_row(repeats, "hinfonce-mlp"); },
        [=] { return step_row(repeats, "adassl-v"); },
        [=] { return step_row(repeats, "adassl-s"); },
    };
    for (const auto& measure : rows) {
      const Row row = measure();
      if (arguments->json) {
        std::cout
            << nlohmann::ordered_json{{"name", row.name}, {"reference_ms", row.milliseconds}}.dump()
            << "\n";
      } else {
        std::cout << fmt::format("{:<48} {:>9.2f} ms\n", row.name, row.milliseconds) << std::flush;
      }
    }
  });
}

}  // namespace adassl::cli
