"""Claim: a move's update of a network's sums and its head, 1,000,000 a second and more on one core; at least 20 times PyTorch
asked one by one and 3 times ONNX Runtime in batches, on the same network. CPU time, medians, taking turns.

Breakthrough tells what a move switches, so its sums are kept; `refresh` is the same with all features added up anew. With
`--folder` (what `stratagem train` left) the whole numbers of a trained network are compared with its floating point.

`--gpu` judges the same positions in batches on a GPU by the same kernels: rules, all features, sums and head, a thread a
position; beside it one core, and PyTorch on the GPU, which is given the features; and whether interpreter, core and GPU agree to
the last bit.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from alternate import pin, rates

import stratagem
from stratagem.compile import specialise
from stratagem.networks import Network, Shape, lift, networked
from stratagem.networks.evaluator import ONE, judged, refresh, update
from stratagem.networks.features import columns_of, fingerprint, seen_by
from stratagem.networks.networked import play_plain
from stratagem.rng import generator

GAMES, BATCH, REPEATS = 20, 1024, 200


def random_network(game: Any, shape: Shape) -> Network:
    rng = np.random.default_rng(0)
    sizes = shape.sizes()
    return Network(
        rng.integers(-60, 60, sizes["columns"]).astype(np.int16),
        rng.integers(-60, 60, sizes["first"]).astype(np.int8),
        rng.integers(-3000, 3000, sizes["first_bias"]).astype(np.int32),
        rng.integers(-60, 60, sizes["second"]).astype(np.int8),
        rng.integers(-3000, 3000, sizes["second_bias"]).astype(np.int32),
        {"game": game.name, "features": fingerprint(game)},
    )


def updates(g: Any, start: Any, s: Any, line: Any, repeats: int) -> float:
    """Play a line of [player, move] again and again, the sums updated and the network asked after every move."""
    x = 0.0
    for _ in range(repeats):
        s[:] = start
        for k in range(len(line)):
            update(g, s, line[k, 0], line[k, 1])
            play_plain(g, s, line[k, 0], line[k, 1])
            x += judged(g, s, 1 - line[k, 0])
    return x


def refreshes(g: Any, start: Any, s: Any, line: Any, repeats: int) -> float:
    """The same with the sums made anew."""
    x = 0.0
    for _ in range(repeats):
        s[:] = start
        for k in range(len(line)):
            play_plain(g, s, line[k, 0], line[k, 1])
            refresh(g, s)
            x += judged(g, s, 1 - line[k, 0])
    return x


def lines(game: Any) -> tuple[list[Any], list[list[list[int]]]]:
    """Random games as numbers, and what both sides see of their positions, the mover first."""
    found, seen = [], []
    for k in range(GAMES):
        position, rng, line = game.start(), generator(1, k), []
        while not position.over:
            text = position.sample(rng)
            line.append((position.turn, game.parse_move(position.state, position.turn, text)))
            position = position.play(text)
            if not position.over:
                seen.append([seen_by(game, position.state, p) for p in (position.turn, 1 - position.turn)])
        found.append(np.array(line[:-1], np.int64))
    return found, seen


def padded(seen: list[list[list[int]]], view: int, width: int, blank: int) -> Any:
    found = np.full((len(seen), width), blank, np.int64)
    for row, sides in zip(found, seen, strict=True):
        row[: len(sides[view])] = sides[view]
    return found


def in_torch(network: Network) -> Any:
    """The network in PyTorch's floating point."""
    import torch

    from stratagem.networks.training import FloatNetwork

    torch.set_num_threads(1)
    model = FloatNetwork(network.shape)
    with torch.no_grad():
        model.bias.copy_(torch.from_numpy(network.columns[0] / 127))
        model.columns.weight[:-1] = torch.from_numpy((network.columns[1:] / 127).astype(np.float32))
        for layer, weight, bias in (
            (model.first, network.first, network.first_bias),
            (model.second, network.second, network.second_bias),
        ):
            layer.weight.copy_(torch.from_numpy(weight / 64))
            layer.bias.copy_(torch.from_numpy(bias / ONE))
    return model.eval()


def in_onnx(network: Network, width: int) -> Any:
    """The network as an ONNX session on one thread, for batches of padded features of both sides."""
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    shape = network.shape
    table = np.concatenate([network.columns[1:] / 127, np.zeros((1, shape.width))]).astype(np.float32)
    constants = {
        "table": table,
        "bias": (network.columns[0] / 127).astype(np.float32),
        "zero": np.float32(0),
        "one": np.float32(1),
        "axis": np.array([1], np.int64),
        "w1": (network.first.T / 64).astype(np.float32),
        "b1": (network.first_bias / ONE).astype(np.float32),
        "w2": (network.second.T / 64).astype(np.float32),
        "b2": (network.second_bias / ONE).astype(np.float32),
    }
    nodes = []
    for side in ("own", "other"):
        nodes += [
            helper.make_node("Gather", ["table", side], [f"{side}_columns"]),
            helper.make_node("ReduceSum", [f"{side}_columns", "axis"], [f"{side}_sum"], keepdims=0),
            helper.make_node("Add", [f"{side}_sum", "bias"], [f"{side}_sums"]),
        ]
    nodes += [
        helper.make_node("Concat", ["own_sums", "other_sums"], ["sums"], axis=1),
        helper.make_node("Clip", ["sums", "zero", "one"], ["inside"]),
        helper.make_node("Gemm", ["inside", "w1", "b1"], ["first"]),
        helper.make_node("Clip", ["first", "zero", "one"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "w2", "b2"], ["out"]),
    ]
    inputs = [helper.make_tensor_value_info(side, TensorProto.INT64, [None, width]) for side in ("own", "other")]
    outputs = [helper.make_tensor_value_info("out", TensorProto.FLOAT, [None, 2])]
    kept = [numpy_helper.from_array(np.asarray(x), name) for name, x in constants.items()]
    model = helper.make_model(helper.make_graph(nodes, "network", inputs, outputs, kept))
    model.ir_version, model.opset_import[0].version = 9, 17
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def speed(width: int, hidden: int, rounds: int) -> None:
    game: Any = stratagem.game("breakthrough")
    network = random_network(game, Shape(game.feature_count, width, hidden, 2))
    lifted = networked(game, network)
    names = lifted.names["refresh_sums"].names
    start = lift(lifted, game.start()).state
    played, seen = lines(game)
    kernels = {
        "update and head": specialise(updates, names, label="updates"),
        "full refresh and head": specialise(refreshes, names, label="refreshes"),
    }
    s = np.zeros_like(start)

    def work(kernel: Any) -> int:
        for line in played:
            kernel(lifted.g, start, s, line, REPEATS)
        return REPEATS * sum(map(len, played))

    works: dict[str, Any] = {name: (lambda kernel=kernel: work(kernel)) for name, kernel in kernels.items()}
    blank = game.feature_count
    widest = max(len(one) for both in seen for one in both)  # no more blanks than the peers need
    own, other = (padded(seen, view, widest, blank) for view in (0, 1))
    try:
        import torch

        model = in_torch(network)
        rows = [(torch.from_numpy(own[k : k + 1]), torch.from_numpy(other[k : k + 1])) for k in range(256)]

        def one_by_one() -> int:
            with torch.inference_mode():
                for row in rows:
                    model(*row)
            return len(rows)

        works["PyTorch, one by one"] = one_by_one
    except ImportError:
        print("without PyTorch (pip install '.[train]')")
    try:
        session = in_onnx(network, widest)
        many = {"own": np.resize(own, (BATCH, own.shape[1])), "other": np.resize(other, (BATCH, other.shape[1]))}

        def batched() -> int:
            session.run(None, many)
            return BATCH

        works[f"ONNX Runtime, batches of {BATCH}"] = batched
    except ImportError:
        print("without ONNX Runtime (pip install '.[bench]')")
    found = rates(works, rounds)
    for name, rate in found.items():
        print(f"{name:32} {rate:>12,.0f} a second   {found['update and head'] / rate:8.1f} times slower than updates")
    kernel = kernels["update and head"].dispatcher
    with warnings.catch_warnings(record=True):  # what came from the cache cannot be looked at
        warnings.simplefilter("always")
        code = "\n".join(kernel.inspect_asm().values())
    counts = {name: code.count(name) for name in ("vpaddw", "vpmaddwd", "vpmaxsw", "vpminsw")}
    print("vector instructions:", counts if any(counts.values()) else "to be seen with STRATAGEM_CACHE=an empty folder")


def difference(folder: Path) -> None:
    """A trained network's whole numbers beside its floating point, on positions it has learned from."""
    import json

    import torch

    from stratagem.networks.plan import Recipe, TrainingCourse, TrainingPlan, Trial
    from stratagem.networks.rounds import columned
    from stratagem.networks.training import FloatNetwork
    from stratagem.networks.training import judged as judged_float
    from stratagem.networks.weights import load

    reported = json.loads((folder / "plan.json").read_text())
    parts = {"recipe": Recipe, "course": TrainingCourse, "trial": Trial}
    plan = TrainingPlan(**{**reported, "rounds": 1, **{name: kind(**reported[name]) for name, kind in parts.items()}})
    game = plan.rules(stratagem.game)
    positions, network = columned(game, plan, folder, 1), load(folder / "round-1" / "network.safetensors")
    model = FloatNetwork(plan.shape(game))
    model.load_state_dict(torch.load(folder / "round-1" / "checkpoint.pt", weights_only=True)["model"])
    rows = np.random.default_rng(0).choice(len(positions), 2000, replace=False)
    seen = [x[rows] for x in (positions.own, positions.other)]
    blank = network.shape.features
    with torch.no_grad():
        exact = judged_float(model.eval()(*(torch.from_numpy(np.where(x < 0, blank, x)) for x in seen))).numpy()
    views = range(network.shape.views)
    rough = np.array(
        [network.exact(*([int(f) for f in seen[v][k] if f >= 0] for v in views))[0] for k in range(len(rows))]
    )
    values = rough / np.sqrt(ONE**2 + rough.astype(float) ** 2)
    print(
        f"whole numbers against floating point: mean difference {np.abs(values - exact).mean():.4f} "
        f"(the values' own deviation is {exact.std():.3f})"
    )


def on_gpu(width: int, hidden: int, names: list[str]) -> None:
    """Batches on a GPU and on a core, and PyTorch on the GPU."""
    from stratagem.compile import cuda_target
    from stratagem.errors import StratagemError

    try:
        cuda = cuda_target()
        if not cuda.is_available():
            raise StratagemError("no CUDA GPU was found on this machine")
    except StratagemError as error:
        print(f"skipped: {error}")
        return
    name = cuda.get_current_device().name
    print(f"device: {name if isinstance(name, str) else name.decode()}", flush=True)
    for game in names:
        try:
            gpu_of(cuda, stratagem.game(game), width, hidden)
        except Exception as error:  # one game's features may be beyond a release of the compiler for GPUs
            print(f"{game}: failed ({type(error).__name__}: {' '.join(str(error).split())[:300]})", flush=True)


def gpu_of(cuda: Any, game: Any, width: int, hidden: int) -> None:
    from stratagem.networks.batches import VALUE, Batches

    network = random_network(game, Shape(int(columns_of(game).max()) + 1, width, hidden, 2))
    lifted = networked(game, network)
    positions = positions_of(game)
    states = np.array([position.state[: game.size] for position in positions])
    began = time.perf_counter()
    gpu, core = Batches(lifted, "cuda"), Batches(lifted, "cpu")
    found, plain = gpu.outputs(states), core.outputs(states)
    print(f"{game.name}: {len(states)} positions; compiled in {time.perf_counter() - began:.1f} s", flush=True)
    columns = columns_of(game)
    exact = [
        network.exact(*([int(columns[f]) for f in seen_by(game, p.state, side)] for side in (p.turn, 1 - p.turn)))
        for p in positions[:: max(len(positions) // 200, 1)]
    ]
    same = np.array_equal(plain[:: max(len(positions) // 200, 1)], np.array(exact))
    few = Batches(lifted, "python").outputs(states[:20])
    print(
        f"  to the last bit: GPU and core {np.array_equal(found, plain)}, core and plain arithmetic {same}, "
        f"interpreter and core {np.array_equal(few, plain[:20])}",
        flush=True,
    )
    once = np.resize(states, (1 << 16, states.shape[1]))
    out = np.zeros((len(once), 1), np.int64)
    core.launch(once, out)
    began = time.process_time()
    core.launch(once, out)
    rate = len(once) / (time.process_time() - began)
    print(f"  one core, in batches: {rate:,.0f} a second", flush=True)
    for batch in (1 << 10, 1 << 14, 1 << 18, 1 << 22):
        placed = gpu.place(np.resize(states, (batch, states.shape[1])))
        there = cuda.device_array((batch, 1), np.int64)
        fast = timed(lambda placed=placed, there=there: gpu.launch(placed, there), cuda.synchronize)
        print(
            f"  GPU, batches of {batch:>9,}: {batch / fast:>15,.0f} a second, {batch / fast / rate:,.0f} cores",
            flush=True,
        )
        del placed, there
    torch_on_gpu(game, network, positions, VALUE)


def positions_of(game: Any) -> list[Any]:
    """The positions of random games."""
    found = []
    for k in range(GAMES):
        position, rng = game.start(), generator(1, k)
        while not position.over:
            found.append(position)
            position = position.play(position.sample(rng))
    return found


def timed(work: Any, wait: Any) -> float:
    """Seconds of one of many calls, the median of five measurements."""
    work()
    wait()
    began, times = time.perf_counter(), 1
    work()
    wait()
    times = max(1, int(0.1 / max(time.perf_counter() - began, 1e-6)))
    found = []
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(times):
            work()
        wait()
        found.append((time.perf_counter() - began) / times)
    return statistics.median(found)


def torch_on_gpu(game: Any, network: Network, positions: list[Any], value: int) -> None:
    """PyTorch with the same network on the GPU, in floating point; the features lie ready there."""
    try:
        import torch
    except ImportError:
        print("  without PyTorch (pip install '.[train]')")
        return
    if not torch.cuda.is_available():
        print("  PyTorch finds no GPU")
        return
    columns, blank = columns_of(game), network.shape.features
    model = in_torch(network).to("cuda")
    seen = [
        [[int(columns[f]) for f in seen_by(game, p.state, s)] for s in (p.turn, 1 - p.turn)] for p in positions[:512]
    ]
    widest = max(len(one) for both in seen for one in both)
    own, other = (padded(seen, view, widest, blank) for view in (0, 1))
    for batch in (1 << 14, 1 << 18, 1 << 20):
        rows = [torch.from_numpy(np.resize(x, (batch, x.shape[1]))).to("cuda") for x in (own, other)]
        with torch.inference_mode():
            fast = timed(lambda rows=rows: model(*rows)[:, value], torch.cuda.synchronize)
        print(f"  PyTorch on the GPU, batches of {batch:>9,}: {batch / fast:>15,.0f} a second", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--width", type=int, default=32)
    asked.add_argument("--hidden", type=int, default=16)
    asked.add_argument("--rounds", type=int, default=9)
    asked.add_argument("--folder", type=Path, help="of `stratagem train`: compare whole numbers with floating point")
    asked.add_argument("--gpu", action="store_true", help="batches on a GPU")
    asked.add_argument("--games", default="breakthrough,connect4,othello", help="with --gpu: which")
    given = asked.parse_args()
    if given.gpu:
        on_gpu(given.width, given.hidden, given.games.split(","))
        return
    pin()
    if given.folder is not None:
        difference(given.folder)
    else:
        speed(given.width, given.hidden, given.rounds)


if __name__ == "__main__":
    main()
