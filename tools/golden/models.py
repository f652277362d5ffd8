"""The models that the cases run: name -> (configuration, the same in PyTorch)."""

import lie
import reference as ref
import vae

OBSERVATION, D, D_R = (10,), 11, 5
CLIP, D_CLIP, D_R_CLIP, CHANGE = (1, 3, 8, 8), 4, 2, 2


def isotropic(**more):
    return ref.Contrastive(ref.Isotropic(), 0.1, **more)


def small_numerical():
    sizes, hidden = [*OBSERVATION, 10, 8, D], [8]
    make_encoder = lambda: ref.MlpEncoder(sizes)
    predictor = lambda width: ref.Mlp([width, 8, D], norm=True, slope=0.01)
    models = {
        "adassl_v": ('method = "adassl-v"\nlatent.hidden = [8]\n', ref.JointEmbedding(
            make_encoder(), ref.Variational(D, D_R, hidden), ref.LinearEditor(D, D_R),
            isotropic())),
        "adassl_s": ('method = "adassl-s"\nlatent.hidden = [8]\n', ref.JointEmbedding(
            make_encoder(), ref.Sparse(D, D_R, hidden), ref.ModularEditor(D, D_R), isotropic())),
        "adassl_v_target": (
            'method = "adassl-v"\nlatent.hidden = [8]\nmodel.helper = "target"\n'
            'model.symmetric = false\neditor.kind = "mlp"\neditor.hidden = [8]\n',
            ref.JointEmbedding(make_encoder(), ref.Variational(D, D_R, hidden),
                               ref.MlpEditor(D, D_R, [8]), isotropic(), False, "target")),
        "adassl_s_target": (
            'method = "adassl-s"\nlatent.hidden = [8]\nmodel.helper = "target"\n'
            'objective.negatives = "both"\nobjective.form = "cosine"\nobjective.clamp = 20.0\n',
            ref.JointEmbedding(make_encoder(), ref.Sparse(D, D_R, hidden),
                               ref.ModularEditor(D, D_R),
                               isotropic(form="cosine", negatives="both", clamp=20), True,
                               "target")),
        "adassl_v_concat": (
            'method = "adassl-v"\nlatent.hidden = [8]\neditor.kind = "concat"\n'
            'objective.predictor_hidden = [8]\n',
            ref.JointEmbedding(make_encoder(), ref.Variational(D, D_R, hidden), ref.ConcatEditor(),
                               isotropic(predictor=predictor(D + D_R)))),
        "adassl_gt": ('method = "adassl-gt"\n', ref.JointEmbedding(
            make_encoder(), ref.Given(), ref.LinearEditor(D, D_R), isotropic())),
        "hinfonce": ('method = "hinfonce-mlp"\nsimilarity.hidden = [8]\n'
                     'objective.predictor = true\nobjective.predictor_hidden = [8]\n',
                     ref.JointEmbedding(
                         make_encoder(), ref.NoLatent(), ref.NoEditor(), ref.Contrastive(
                             ref.HeteroscedasticMlp(D, [8]), 0.1, predictor=predictor(D)))),
    }
    return {name: (config + "encoder.hidden = [10, 8]\n", model)
            for name, (config, model) in models.items()}


def small_lie():
    def model(symmetric, transported, detour, **more):
        return lie.LieSsl(ref.MlpEncoder([*OBSERVATION, 10, 8, D]),
                          lie.LieLatent(D, 3, [8], beta=0.2), lie.LieEditor(D, 3),
                          lie.LieObjective(isotropic(**more), transported, detour), symmetric,
                          "target")
    config = ('method = "liessl"\nlatent.hidden = [8]\nlatent.dim = 3\nlatent.beta = 0.2\n'
              "encoder.hidden = [10, 8]\n")
    return {
        "liessl": (config + "objective.transported = 2.0\n", model(True, 2.0, 1.0)),
        "liessl_forward": (
            config + FORWARD + 'objective.detour = 0.5\nobjective.form = "cosine"\n'
            'objective.negatives = "both"\nobjective.clamp = 20.0\n',
            model(False, 1.0, 0.5, form="cosine", negatives="both", clamp=20)),
    }


def small_vaes():
    width, dim = 8, 4
    model = lambda pairs: vae.Vae(ref.MlpEncoder([*OBSERVATION, 12, width]), width,
                                  vae.Decoder([dim, 12, *OBSERVATION]), dim, 4.0, pairs)
    config = f"encoder.hidden = [12]\nencoder.out = {width}\nmodel.dim = {dim}\nmodel.beta = 4.0\n"
    return {"beta_vae": ('method = "beta-vae"\n' + config, model(False)),
            "adagvae": ('method = "adagvae"\n' + config, model(True))}


def whole_numerical():
    """Those of the tables, at their own size."""
    encoder = lambda: ref.MlpEncoder([*OBSERVATION, 100, 100, 100, 100, D])
    contrastive = lambda similarity, predictor=None: ref.Contrastive(similarity, 0.1,
                                                                     predictor=predictor)
    plain = lambda objective: ref.JointEmbedding(encoder(), ref.NoLatent(), ref.NoEditor(),
                                                 objective)
    wide = [D, 100, 100, 100, D]
    return {
        "adassl_v": ('method = "adassl-v"', ref.JointEmbedding(
            encoder(), ref.Variational(D, D_R, [64, 64]), ref.LinearEditor(D, D_R),
            contrastive(ref.Isotropic()))),
        "adassl_s": ('method = "adassl-s"', ref.JointEmbedding(
            encoder(), ref.Sparse(D, D_R, [64, 64]), ref.ModularEditor(D, D_R),
            contrastive(ref.Isotropic()))),
        "infonce": ('method = "infonce"', plain(contrastive(ref.Isotropic()))),
        "aninfonce": ('method = "aninfonce"', plain(contrastive(ref.Anisotropic(D)))),
        "hinfonce_affine": ('method = "hinfonce-affine"',
                            plain(contrastive(ref.HeteroscedasticAffine(D)))),
        "hinfonce_mlp": ('method = "hinfonce-mlp"\nobjective.predictor = true', plain(contrastive(
            ref.HeteroscedasticMlp(D, wide[1:-1]), ref.Mlp(wide, norm=True, slope=0.01)))),
    }


# ---- clips

VIDEO = ('encoder.kind = "video_cnn"\nencoder.channels = [2, 3, 4, 4, 5]\nencoder.projector = [6]\n'
         f"encoder.out = {D_CLIP}\nobjective.hidden = [6]\n")
DISTILLED = 'objective.kind = "distillation"\n'
SMALL_LATENT = "latent.dim = 2\nlatent.beta = 0.001\nlatent.hidden = [5]\nlatent.slope = 0\n"
FORWARD = "model.symmetric = false\n"


def video_encoder():
    return ref.VideoCnn(CLIP[0], CLIP[1], [2, 3, 4, 4, 5], [6], D_CLIP)


def byol(latent, editor, width=D_CLIP, symmetric=True, helper="view", **predictor):
    settings = {"slope": 0.0, **predictor}
    hypersphere = settings.pop("hypersphere", True)
    eta = ref.Mlp([width, 6, D_CLIP], norm=True, **settings)
    return ref.JointEmbedding(video_encoder(), latent, editor, ref.Distillation(eta, hypersphere),
                              symmetric, helper)


def small_video():
    d, d_r = D_CLIP, D_R_CLIP
    variational = lambda: ref.Variational(d, d_r, [5], slope=0.0, beta=0.001, warmup=0)
    sparse = lambda: ref.Sparse(d, d_r, [5], slope=0.0, beta=0.001)
    plain = lambda symmetric: byol(ref.NoLatent(), ref.NoEditor(), symmetric=symmetric)
    models = {
        "byol": ('method = "byol"\n', plain(True)),
        "byol_forward": ('method = "byol"\n' + FORWARD, plain(False)),
        "byol_v": ('method = "adassl-v"\neditor.kind = "concat"\nlatent.warmup_steps = 0\n'
                   + DISTILLED + SMALL_LATENT + FORWARD,
                   byol(variational(), ref.ConcatEditor(), d + d_r, symmetric=False)),
        "byol_s": ('method = "adassl-s"\n' + DISTILLED + SMALL_LATENT + FORWARD,
                   byol(sparse(), ref.ModularEditor(d, d_r), symmetric=False)),
        "byol_v_target": ('method = "adassl-v"\nmodel.helper = "target"\nlatent.warmup_steps = 0\n'
                          + DISTILLED + SMALL_LATENT,
                          byol(variational(), ref.LinearEditor(d, d_r), helper="target")),
        "byol_future": ('method = "byol-future"\n' + FORWARD,
                        byol(ref.Future(), ref.ConcatEditor(), 2 * d, symmetric=False)),
        "byol_gt": ('method = "byol-gt"\nlatent.dim = 4\nmodel.space = "unbounded"\n'
                    "objective.slope = 0.01\nobjective.out_bias = false\n",
                    byol(ref.Given(CHANGE, 4), ref.ConcatEditor(), d + 4, slope=0.01,
                         out_bias=False, hypersphere=False)),
    }
    return {name: (config + VIDEO, model) for name, (config, model) in models.items()}
