"""The first games against slow, plain rules, on thousands of seeded random positions."""

import random

import numpy as np

import stratagem
from stratagem.kernel import sample


def lines_of(board, k):
    """All values that stand k in a row somewhere on a board given as a dict of cells."""
    found = set()
    for (r, c), x in board.items():
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if all(board.get((r + i * dr, c + i * dc)) == x for i in range(k)):
                found.add(x)
    return found


def play_out(game, drop, rng):
    """Play a random game move by move against the plain board; yields every position for more checks."""
    position, board, seat = game.start(), {}, 0
    while True:
        cells = drop(board)
        wins = lines_of(board, 4 if game.name == "connect4" else game["line"])
        expected_over = bool(wins) or not cells
        assert position.over == expected_over
        if expected_over:
            payoff = tuple(0.0 if not wins else 1.0 if p in wins else -1.0 for p in (0, 1))
            assert position.payoff == payoff
            return
        assert position.turn == seat
        assert sorted(position.moves()) == sorted(cells)
        move = rng.choice(sorted(cells))
        position = position.play(move)
        board[cells[move]] = seat
        seat = 1 - seat


def test_connect_four_follows_the_plain_rules():
    rng = random.Random(1)
    for width, height in ((7, 6), (4, 4), (5, 7), (9, 9), (1, 5)):
        game = stratagem.game("connect4", width=width, height=height)

        def drop(board, width=width, height=height):
            heights = [sum((r, c) in board for r in range(height)) for c in range(width)]
            return {str(c + 1): (heights[c], c) for c in range(width) if heights[c] < height}

        for _ in range(40):
            play_out(game, drop, rng)


def test_tic_tac_toe_follows_the_plain_rules():
    rng = random.Random(2)
    boards = (
        (3, 3, 3),
        (4, 5, 4),
        (2, 6, 5),
        (6, 2, 5),
        (3, 3, 1),
        (4, 4, 2),
        (3, 19, 19),
        (19, 3, 3),
        (7, 7, 5),
        (8, 8, 4),
    )
    for rows, columns, line in boards:
        game = stratagem.game("tictactoe", rows=rows, columns=columns, line=line)

        def drop(board, rows=rows, columns=columns):
            cells = [(r, c) for r in range(rows) for c in range(columns)]
            return {f"{chr(97 + c)}{r + 1}": (r, c) for r, c in cells if (r, c) not in board}

        for _ in range(60):
            play_out(game, drop, rng)


def test_the_two_kinds_of_connect_four_kernels_agree():
    from stratagem.games.connect4 import cells

    bits = stratagem.game("connect4")

    class Cells(type(bits)):
        def setup(self):
            super().setup()
            self.bitboards, self.rules, self.size, self.exact_key = False, cells, 3 + 7 + 42, False

    other, rng = Cells(), random.Random(3)
    for _ in range(60):
        one, two = bits.start(), other.start()
        while not one.over:
            assert one.turn == two.turn
            assert sorted(one.moves()) == sorted(two.moves())
            move = rng.choice(one.moves())
            one, two = one.play(move), two.play(move)
        assert two.over
        assert one.payoff == two.payoff


def test_the_two_kinds_of_tic_tac_toe_kernels_agree():
    from stratagem.games.tictactoe import cells

    class Cells(type(stratagem.game("tictactoe"))):
        def setup(self):
            super().setup()
            self.bitboards, self.rules, self.turn_cell = False, cells, cells.TURN
            self.size, self.exact_key = cells.BOARD + self.cells, False

    rng = random.Random(3)
    for rows, columns, line in ((3, 3, 3), (4, 5, 4), (5, 4, 3), (7, 8, 4)):
        bits = stratagem.game("tictactoe", rows=rows, columns=columns, line=line)
        other = Cells(rows=rows, columns=columns, line=line)
        for _ in range(40):
            one, two = bits.start(), other.start()
            while not one.over:
                assert one.turn == two.turn
                assert one.moves() == two.moves()
                move = rng.choice(one.moves())
                one, two = one.play(move), two.play(move)
                assert str(one) == str(two) == str(bits.parse(str(one))) == str(other.parse(str(two)))
            assert two.over
            assert one.payoff == two.payoff


def test_nim_is_won_by_the_nim_sum():
    """Bouton 1901: the mover wins the normal game unless the heaps' exclusive or is 0."""
    from stratagem.search.alphabeta.deepening import AlphaBeta

    game = stratagem.game("nim", heaps=(4, 4, 5))
    search = AlphaBeta(game)
    for a in range(5):
        for b in range(5):
            for c in range(6):
                if a or b or c:
                    assert search.solve(game.parse(f"{a},{b},{c}")).value == (1 if a ^ b ^ c else -1)


def test_misere_nim_differs_only_at_the_end():
    from stratagem.search.alphabeta.deepening import AlphaBeta

    game = stratagem.game("nim", heaps=(3, 3), misere=True)
    search = AlphaBeta(game)
    for a in range(4):
        for b in range(4):
            if a or b:
                wins = (a ^ b) != 0 if max(a, b) > 1 else (a + b) % 2 == 0
                assert search.solve(game.parse(f"{a},{b}")).value == (1 if wins else -1)


def test_pig_follows_the_plain_rules():
    rng = random.Random(4)
    for players in (2, 3):
        game = stratagem.game("pig", players=players, target=30)
        for _ in range(40):
            position, scores, seat, gathered = game.start(), [0] * players, 0, 0
            while not position.over:
                assert position.turn == seat
                assert position.moves() == (["roll", "hold"] if gathered else ["roll"])
                if rng.random() < 0.7 or not gathered:
                    position = position.play("roll")
                    assert position.turn == stratagem.CHANCE
                    face = rng.randint(1, 6)
                    position = position.play(str(face))
                    gathered = gathered + face if face > 1 else 0
                    seat = seat if face > 1 else (seat + 1) % players
                else:
                    position = position.play("hold")
                    scores[seat] += gathered
                    gathered = 0
                    if scores[seat] < 30:
                        seat = (seat + 1) % players
            assert scores[seat] >= 30
            expected = tuple(1.0 if p == seat else -1 / (players - 1) for p in range(players))
            assert position.payoff == expected


def test_sampled_moves_are_uniform():
    """Every legal move of positions with several ways to pick one comes up about equally often, compiled code or not."""
    from stratagem.compile import specialise
    from stratagem.rng import generator

    for name, text in (
        ("tictactoe", "X_O_X____"), ("connect4", "444444222"), ("breakthrough", ""), ("othello", ""),
    ):  # fmt: skip
        game = stratagem.game(name)
        position = game.parse(text) if text else game.start()
        s, r, seen = position.state.copy(), generator(3), {}
        run = specialise(draws, game.names)
        drawn = np.zeros(20_000, np.int64)
        run(game.g, s, position.turn, r, drawn)
        moves = position.move_numbers()
        seen = {m: int((drawn == m).sum()) for m in moves}
        assert sum(seen.values()) == len(drawn)
        wanted = len(drawn) / len(moves)
        chi = sum((n - wanted) ** 2 / wanted for n in seen.values())
        assert chi < len(moves) + 4 * (2 * len(moves)) ** 0.5, (name, seen)


def draws(g, s, p, r, out):
    for i in range(out.shape[0]):
        out[i] = sample(g, s, p, r)
    return 0
