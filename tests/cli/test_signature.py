"""Fixed searches take the course they always took. A number in signature.txt changes only with a commit that says why."""

from pathlib import Path

import pytest
from command import run
from toys.kuhn import Kuhn

from stratagem import Clock
from stratagem.cli.signature import spent
from stratagem.search.tree.infosets import InformationSets

EXPECTED = (Path(__file__).parent / "signature.txt").read_text().splitlines()
OLDEST = 200335  # alpha-beta and the solver since version 0.1


@pytest.fixture(scope="module")
def printed():
    found = run("signature")
    assert found.code == 0
    return found.out.splitlines()


@pytest.mark.slow
def test_the_signature_changes_only_on_purpose(printed):
    assert printed == EXPECTED


@pytest.mark.slow
def test_the_signature_ends_with_the_sum_of_its_numbers(printed):
    assert int(printed[-1]) == sum(int(line.split()[-1]) for line in printed[:-1])


@pytest.mark.slow
def test_alpha_beta_and_the_solver_look_at_the_nodes_they_always_did(printed):
    exact = [line.split() for line in printed[:-1] if line.split()[0] in ("alphabeta", "solver")]
    assert sum(int(words[-1]) for words in exact) == OLDEST


@pytest.mark.slow
def test_every_kind_of_search_is_in_the_signature(printed):
    kinds = ["alphabeta", "solver", "expectimax", "mcts", "montecarlo", "infosets", "drafts", "bidding"]
    kinds += ["turns", "stages"]
    assert list(dict.fromkeys(line.split()[0] for line in printed[:-1])) == kinds


@pytest.mark.parametrize(("rule", "number"), [("rm", 4664), ("duct", 4082), ("exp3", 4561)])
def test_a_search_among_secrets_takes_the_course_it_always_took(rule, number):
    position = Kuhn().start(seed=1).view(0)
    search = InformationSets(position.game, seed=1, rule=rule, pool=1 << 12)
    choice = search.analyse(position, Clock(None), simulations=3000, lines=2)
    assert spent(position, choice, 0) == number
