"""One file for each kind of part: inputs, parameters, values, and the gradient of every leaf."""

import copy

import torch

import lie
import reference as ref
from draws import buffers
from philox import Stream
from tensor_file import TensorFile

D, D_R, BATCH = 11, 5, 8


def leaf(*shape, scale=1.0):
    return (scale * torch.randn(shape)).requires_grad_()


def disturbed(module):
    """Parameters and running statistics that are nobody's initial values."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            around = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            parameter.copy_(around + torch.randn_like(parameter) * 0.3)
        for name, buffer in buffers(module):
            buffer.copy_(torch.rand_like(buffer) + (0.5 if name.endswith("var") else -0.5))
    return module


def random_numbers():
    file = TensorFile("random")
    streams = {
        "plain": Stream(1, "noise"),
        "step": Stream(42, "noise", 9).named("forward"),
        "large": Stream(2**63 + 12345, "pairs", 2**40 + 7).named("a").named("b"),
    }
    for name, stream in streams.items():
        file.add(f"{name}/normal", stream.normal(6, 7))
        file.add(f"{name}/uniform", stream.uniform(6, 7))
    file.save()


def mlps():
    sizes = [10, 8, 6, D]
    for name, norm in [("mlp_plain", False), ("mlp_norm", True)]:
        torch.manual_seed(11)
        file = TensorFile(name)
        original = disturbed(ref.Mlp(sizes, norm, slope=0.01))
        x, cotangent = leaf(BATCH, sizes[0]), torch.randn(BATCH, sizes[-1])
        file.add_all("parameter", original.named_parameters())
        file.add_all("buffer", buffers(original))
        file.add("input/x", x)
        file.add("cotangent", cotangent)
        for case in ["train", "eval"]:
            module = copy.deepcopy(original)
            module.train(case == "train")
            x.grad = None
            y = module(x)
            (y * cotangent).sum().backward()
            file.add(f"{case}/value/y", y)
            file.add_gradients(case, [("input/x", x)])
            file.add_gradients(case, [(f"parameter/{n}", p) for n, p in module.named_parameters()])
            file.add_all(f"{case}/after", buffers(module))
        file.save()


def distances():
    torch.manual_seed(12)
    file = TensorFile("distances")
    a, b, cotangent = leaf(7, D), leaf(9, D), torch.randn(7, 9)
    file.add("input/a", a)
    file.add("input/b", b)
    file.add("cotangent", cotangent)
    for case, shape in [("number", ()), ("dimension", (D,)), ("anchor", (7, D))]:
        weights = torch.rand(shape).requires_grad_()
        a.grad = b.grad = None
        difference = a[:, None, :] - b[None, :, :]
        rows = weights[:, None, :] if weights.dim() == 2 else weights
        out = -(rows * difference**2).sum(2) / 0.3
        (out * cotangent).sum().backward()
        file.add(f"{case}/input/weights", weights)
        file.add(f"{case}/value/logits", out)
        file.add_gradients(case, [("input/a", a), ("input/b", b), ("input/weights", weights)])
    file.save()


def gaussians():
    """The free functions, also where clamps bite."""
    torch.manual_seed(13)
    file = TensorFile("gaussian")
    q_output, p_output = leaf(BATCH, 2 * D_R, scale=2.0), leaf(BATCH, 2 * D_R)
    with torch.no_grad():
        q_output[0, D_R:] = torch.tensor([-30.0, -6.0, -5.2, 160.0, 30.0])
        p_output[1, D_R:] = torch.tensor([-40.0, -4.6, 149.0, 140.0, 0.0])
    eps = torch.randn(BATCH, D_R)
    r_cotangent, kl_cotangent = torch.randn(BATCH, D_R), torch.rand(BATCH, D_R)
    q, p = ref.gaussian(q_output), ref.gaussian(p_output)
    r, kl = q.loc + q.scale * eps, ref.kl_divergence(q, p)
    file.add_all("input", [("q", q_output), ("p", p_output), ("eps", eps)])
    file.add_all("cotangent", [("r", r_cotangent), ("kl", kl_cotangent)])
    file.add_all("value", [("r", r), ("kl", kl), ("q_sigma", q.scale), ("p_sigma", p.scale)])
    (r * r_cotangent).sum().backward(retain_graph=True)
    file.add_gradients("r", [("input/q", q_output)])
    q_output.grad = None
    (kl * kl_cotangent).sum().backward()
    file.add_gradients("kl", [("input/q", q_output), ("input/p", p_output)])
    file.save()


def gates():
    torch.manual_seed(14)
    file = TensorFile("gate")
    logits = leaf(BATCH, D_R, scale=2.0)
    u, cotangent = torch.rand(BATCH, D_R), torch.randn(BATCH, D_R)
    u[0] = torch.tensor([0.0, 1.0, 1e-7, 1 - 1e-7, 0.5])
    gate = ref.open_gates(logits, u)
    (gate * cotangent).sum().backward()
    file.add_all("input", [("logits", logits), ("u", u)])
    file.add("cotangent", cotangent)
    file.add("value/gate", gate)
    file.add_gradients("gate", [("input/logits", logits)])
    file.save()


def latents():
    hidden = [12, 8]
    stream = Stream(5, "noise", 3).named("forward")
    for name, module_type in [("variational", ref.Variational), ("sparse", ref.Sparse)]:
        torch.manual_seed(15)
        file = TensorFile(f"latent_{name}")
        config = f'latent.kind = "{name}"\nlatent.dim = {D_R}\nlatent.hidden = {hidden}'
        file.metadata["config"] = config
        original = disturbed(module_type(D, D_R, hidden))
        e, helper = leaf(BATCH, D), leaf(BATCH, D)
        drawn = stream.normal if module_type.noise == "normal" else stream.uniform
        noise = torch.from_numpy(drawn(BATCH, D_R)).double()
        r_cotangent, cost_cotangent = torch.randn(BATCH, D_R), torch.rand(BATCH, D_R)
        file.add_all("parameter", original.named_parameters())
        file.add_all("buffer", buffers(original))
        file.add_all("input", [("e", e), ("helper", helper), ("noise", noise)])
        file.add_all("cotangent", [("r", r_cotangent), ("cost", cost_cotangent)])
        for case in ["train", "eval"]:
            module = copy.deepcopy(original)
            module.train(case == "train")
            e.grad = helper.grad = None
            r, cost = module(e, helper, None, noise)
            ((r * r_cotangent).sum() + (cost * cost_cotangent).sum()).backward()
            file.add_all(f"{case}/value", [("r", r), ("cost", cost)])
            if case == "eval" and name == "variational":
                file.add("eval/value/imagined", module.imagine(e, noise))
            file.add_gradients(case, [("input/e", e), ("input/helper", helper)])
            file.add_gradients(case, [(f"parameter/{n}", p) for n, p in module.named_parameters()])
            file.add_all(f"{case}/after", buffers(module))
        file.save()


def editors():
    torch.manual_seed(16)
    cases = {
        "none": ('editor.kind = "none"', ref.NoEditor(), D_R),
        "additive": ('editor.kind = "additive"', ref.AdditiveEditor(), D),
        "linear": ('editor.kind = "linear"', ref.LinearEditor(D, D_R), D_R),
        "mlp": ('editor.kind = "mlp"\neditor.hidden = [8]', ref.MlpEditor(D, D_R, [8]), D_R),
        "mlp_leaky": ('editor.kind = "mlp"\neditor.hidden = [8, 6]\neditor.slope = 0.01',
                      ref.MlpEditor(D, D_R, [8, 6], 0.01), D_R),
        "modular": ('editor.kind = "modular"', ref.ModularEditor(D, D_R), D_R),
        "concat": ('editor.kind = "concat"', ref.ConcatEditor(), D_R),
        "lie": ('editor.kind = "lie"', lie.LieEditor(D, D_R), D_R),
    }
    file = TensorFile("editors")
    for case, (config, module, d_r) in cases.items():
        file.metadata[case] = config
        disturbed(module)
        e, r = leaf(BATCH, D), leaf(BATCH, d_r)
        file.add_all(f"{case}/parameter", module.named_parameters())
        file.add_all(f"{case}/buffer", buffers(module))
        e_hat = module(e, r)
        cotangent = torch.randn_like(e_hat)
        (e_hat * cotangent).sum().backward()
        file.add_all(f"{case}/input", [("e", e), ("r", r)])
        file.add(f"{case}/cotangent", cotangent)
        file.add(f"{case}/value/e_hat", e_hat)
        file.add_gradients(case, [("input/e", e), ("input/r", r)])
        file.add_gradients(case, [(f"parameter/{n}", p) for n, p in module.named_parameters()])
        file.add_all(f"{case}/after", buffers(module))
    file.save()


SIMILARITIES = {
    "isotropic": ('similarity.kind = "isotropic"', ref.Isotropic),
    "fixed": ('similarity.kind = "isotropic"\nsimilarity.learned = false',
              lambda: ref.Isotropic(False)),
    "anisotropic": ('similarity.kind = "anisotropic"', lambda: ref.Anisotropic(D)),
    "affine": ('similarity.kind = "heteroscedastic-affine"', lambda: ref.HeteroscedasticAffine(D)),
    "mlp": ('similarity.kind = "heteroscedastic-mlp"\nsimilarity.hidden = [6, 4]',
            lambda: ref.HeteroscedasticMlp(D, [6, 4])),
}

# form, negatives, symmetric, hypersphere, clamp, predictor
SETTINGS = [
    ("distance", "targets", True, True, 0, False),
    ("distance", "targets", False, False, 0, False),
    ("distance", "both", True, False, 0, False),
    ("distance", "both", False, True, 20, False),
    ("cosine", "targets", False, True, 0, False),
    ("cosine", "both", True, True, 20, False),
]
WITH_PREDICTOR = [
    ("distance", "targets", True, True, 0, True),
    ("cosine", "both", True, True, 20, True),
]


def objectives():
    for name, (similarity_config, make_similarity) in SIMILARITIES.items():
        torch.manual_seed(17)
        file = TensorFile(f"contrastive_{name}")
        more = WITH_PREDICTOR if name in ("isotropic", "mlp") else []
        predictor = ref.Mlp([D, 8, D], norm=True, slope=0.01) if more else None
        original = disturbed(ref.Contrastive(make_similarity(), 0.1, predictor=predictor))
        inputs = [(n, leaf(BATCH, D)) for n in ["e_x", "e_y", "y_hat", "x_hat"]]
        with torch.no_grad():  # pairs that resemble each other, but leave the loss something to do
            for (_, near), (_, centre) in zip(inputs[2:], [inputs[1], inputs[0]]):
                near.add_(centre)
        file.add_all("input", inputs)
        file.add_all("parameter", original.named_parameters())
        file.add_all("buffer", buffers(original))
        settings = SETTINGS[:1] if name == "fixed" else SETTINGS
        for form, negatives, symmetric, hypersphere, clamp, with_predictor in settings + more:
            space = "hypersphere" if hypersphere else "unbounded"
            tau = 0.1 if hypersphere else 4.0
            if clamp and form == "cosine":
                tau = 0.02
            case = "-".join([form, negatives, "symmetric" if symmetric else "forward", space]
                            + ["clamp"] * (clamp > 0) + ["predictor"] * with_predictor)
            file.metadata[case] = "\n".join([
                f'model.space = "{space}"', f"model.symmetric = {str(symmetric).lower()}",
                f"objective.tau = {tau}", f'objective.form = "{form}"',
                f'objective.negatives = "{negatives}"', f"objective.clamp = {float(clamp)}",
                f"objective.predictor = {str(with_predictor).lower()}",
                "objective.predictor_hidden = [8]" if with_predictor else "", similarity_config])
            module = copy.deepcopy(original)
            module.tau, module.form, module.negatives = tau, form, negatives
            module.clamp, module.hypersphere = clamp, hypersphere
            if not with_predictor:
                module.predictor = None
            for _, tensor in inputs:
                tensor.grad = None
            used = inputs if symmetric else inputs[:3]
            loss = module(*[tensor for _, tensor in used])
            loss.backward()
            assert clamp == 0 or module.beyond_clamp > 0, case
            file.add(f"{case}/value/loss", loss)
            file.add_gradients(case, [(f"input/{n}", t) for n, t in used])
            file.add_gradients(case, [(f"parameter/{n}", p) for n, p in module.named_parameters()])
            file.add_all(f"{case}/after", buffers(module))
        file.save()


def write():
    random_numbers()
    mlps()
    distances()
    gaussians()
    gates()
    latents()
    editors()
    objectives()
