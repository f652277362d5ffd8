"""The methods of Tables 3 and 4: their encoder, narrow, on small images, and their losses in the
form of the official code; name -> (configuration, the same in PyTorch)."""

import lie
import reference as ref
import vae

PICTURE, D, D_R, CHANGE, WIDTH = (3, 16, 16), 6, 4, 3, 8
MEAN, DEVIATION = [0.5, 0.4, 0.3], [0.25, 0.5, 0.4]
OFFICIAL = 'objective.form = "cosine"\nobjective.negatives = "both"\nobjective.clamp = 20.0\n'
DISTILLED = ('objective.kind = "distillation"\nobjective.hidden = [12]\n'
             "objective.out_bias = false\nobjective.momentum = 0.996\n"
             'objective.schedule = "cosine"\n')
MOMENTUM = (0.996, "cosine")  # of DISTILLED
LATENT = f"latent.dim = {D_R}\nlatent.hidden = [12]\nlatent.slope = 0\n"
EDITOR = 'editor.kind = "mlp"\neditor.hidden = [10]\n'
RESNET = (f'encoder.kind = "resnet"\nencoder.width = {WIDTH}\n'
          f"encoder.mean = {MEAN}\nencoder.deviation = {DEVIATION}\n")


def projected(norm):
    return RESNET + (f"encoder.projector = [12]\nencoder.out = {D}\nencoder.out_bias = false\n"
                     f"encoder.projector_norm = {str(norm).lower()}\n")


def encoder(norm):
    projector = ref.Mlp([8 * WIDTH, 12, D], norm, slope=0.0, out_bias=False)
    return ref.ResNetEncoder("small", WIDTH, MEAN, DEVIATION, projector)


def variational(beta):
    return ref.Variational(D, D_R, [12], slope=0.0, beta=beta, warmup=8)


def sparse(beta):
    return ref.Sparse(D, D_R, [12], slope=0.0, beta=beta)


def contrastive():
    """resnet_s has a lower temperature than the paper, with which the clamp of the logits has an
    effect."""
    def model(similarity, latent=None, editor=None, tau=0.1, helper="view", predictor=None):
        objective = ref.Contrastive(similarity, tau, form="cosine", negatives="both", clamp=20,
                                    predictor=predictor)
        return ref.JointEmbedding(encoder(False), latent or ref.NoLatent(),
                                  editor or ref.NoEditor(), objective, helper=helper)

    lie_objective = lie.LieObjective(ref.Contrastive(ref.Isotropic(), 0.1, form="cosine",
                                                     negatives="both", clamp=20))
    lie_ssl = lie.LieSsl(encoder(False), lie.LieLatent(D, D_R, [12]), lie.LieEditor(D, D_R),
                         lie_objective, helper="target")
    models = {
        "infonce": ('method = "infonce"\nobjective.tau = 0.1\n', model(ref.Isotropic())),
        "aninfonce": ('method = "aninfonce"\nobjective.tau = 0.1\n', model(ref.Anisotropic(D))),
        "hinfonce": ('method = "hinfonce-mlp"\nobjective.tau = 0.1\nsimilarity.hidden = [12]\n'
                     "similarity.slope = 0.0\nobjective.predictor = true\n"
                     "objective.predictor_hidden = [12]\nobjective.predictor_slope = 0.0\n",
                     model(ref.HeteroscedasticMlp(D, [12], slope=0.0),
                           predictor=ref.Mlp([D, 12, D], norm=True, slope=0.0))),
        "v": ('method = "adassl-v"\nobjective.tau = 0.1\nlatent.beta = 0.1\n'
              "latent.warmup_steps = 8\n" + LATENT + EDITOR,
              model(ref.Isotropic(), variational(0.1), ref.MlpEditor(D, D_R, [10]))),
        "s": ('method = "adassl-s"\nmodel.helper = "target"\nobjective.tau = 0.04\n'
              "latent.beta = 0.5\nsimilarity.learned = false\n" + LATENT,
              model(ref.Isotropic(learned=False), sparse(0.5), ref.ModularEditor(D, D_R),
                    tau=0.04, helper="target")),
        "gt": ('method = "adassl-gt"\nobjective.tau = 0.1\n' + EDITOR,
               model(ref.Isotropic(), ref.Given(), ref.MlpEditor(D, CHANGE, [10]))),
        "liessl": ('method = "liessl"\nobjective.tau = 0.1\nlatent.beta = 0.1\n' + LATENT, lie_ssl),
    }
    return {f"resnet_{name}": (config + OFFICIAL + projected(False), of)
            for name, (config, of) in models.items()}


def distilled():
    def model(latent=None, editor=None):
        predictor = ref.Mlp([D, 12, D], norm=True, slope=0.0, out_bias=False)
        return ref.JointEmbedding(encoder(True), latent or ref.NoLatent(),
                                  editor or ref.NoEditor(), ref.Distillation(predictor))

    models = {
        "byol": ('method = "byol"\n', model()),
        "byol_v": ('method = "adassl-v"\nlatent.beta = 0.005\nlatent.warmup_steps = 8\n' + LATENT
                   + EDITOR, model(variational(0.005), ref.MlpEditor(D, D_R, [10]))),
        "byol_s": ('method = "adassl-s"\nlatent.beta = 0.002\n' + LATENT,
                   model(sparse(0.002), ref.ModularEditor(D, D_R))),
        "byol_gt": ('method = "byol-gt"\n' + EDITOR,
                    model(ref.Given(), ref.MlpEditor(D, CHANGE, [10]))),
    }
    return {f"resnet_{name}": (config + DISTILLED + projected(True), of)
            for name, (config, of) in models.items()}


def autoencoders():
    """Of pixels, as logits."""
    dim, beta = 5, 16.0

    def model(pairs):
        trunk = ref.ResNetEncoder("small", WIDTH, MEAN, DEVIATION)
        return vae.Vae(trunk, 8 * WIDTH, vae.MirroredResNet("small", PICTURE, WIDTH, dim), dim,
                       beta, pairs, vae.bernoulli_loss)

    config = (f"model.dim = {dim}\nmodel.beta = {beta}\nencoder.projector = []\nencoder.out = 0\n"
              + RESNET)
    return {"resnet_beta_vae": ('method = "beta-vae"\n' + config, model(False)),
            "resnet_adagvae": ('method = "adagvae"\n' + config, model(True))}
