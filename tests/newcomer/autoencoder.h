#pragma once

#include "adassl/model/method.h"
#include "adassl/nn/mlp.h"

namespace newcomer {

using namespace adassl;

/// A method of one's own, without r: both halves of a pair are encoded and decoded again.
class Autoencoder final : public model::Method {
 public:
  struct Options {
    static constexpr std::string_view kName = "autoencoder";
    static constexpr std::string_view kSummary = "rebuild what was seen from a narrow code";
    int64_t code = 1;
    int64_t hidden = 32;
    void visit(Fields& field) {
      field("code", code, "width of the code", {1, 1024});
      field("hidden", hidden, "width of the hidden layers", {1, 4096});
    }
  };

  Autoencoder(const Options& options, const model::MethodContext& context) {
    const int64_t in = context.observation.at(0);
    encoder_ =
        register_module("encoder", std::make_shared<nn::Mlp>(nn::MlpShape{
                                       .in = in, .hidden = {options.hidden}, .out = options.code}));
    decoder_ =
        register_module("decoder", std::make_shared<nn::Mlp>(nn::MlpShape{
                                       .in = options.code, .hidden = {options.hidden}, .out = in}));
  }

  model::Loss forward(const model::Views& views, int64_t /*step*/,
                      const random::Stream& /*noise*/) override {
    const Tensor x = torch::cat({views.x, views.x_plus});
    const Tensor error = (decoder_->forward(represent(x)) - x).square().mean();
    const Metric metric{
        .name = "reconstruction", .label = "error of rebuilding", .better = Better::kLower};
    return {error, {{metric, error}}};
  }
  Tensor represent(const Tensor& x) override { return encoder_->forward(x); }
  Tensor embed(const Tensor& x) override { return represent(x); }
  std::shared_ptr<torch::nn::Module> encoder() override { return encoder_; }

 private:
  std::shared_ptr<nn::Mlp> encoder_;
  std::shared_ptr<nn::Mlp> decoder_;
};

}  // namespace newcomer
