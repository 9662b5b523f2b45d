"""The shapes of the map: a world drawn in letters, a letter a territory, whose outlines are traced and smoothed.

Where two territories share a stretch of border in the letters they share it in the drawing, and only neighbours do;
neighbours that do not touch are joined by sea. Every stretch between two corners is smoothed once, for both sides,
so that borders never gape.
"""

from __future__ import annotations

from functools import cache

from stratagem.games.risk.atlas import EDGES, TERRITORIES

Point = tuple[float, float]

# Letters in the order of the territories' indices.
LETTERS = "ANGBOQWECVPZRIKSMLHUaefcsmuiykrgjhndxtqpwz"
SEA = "."
DRAWN = """
...............GGGG.................yyy.....
.............GGGGGG...........iii..yyyy.....
AAAAA.NNNN...GGGGGG...SS......iiii.yyyy.kkk.
AAAAANNNNNN..GGGGGG..SSS.UUU.uuiiiiyyyykkkkk
AAAAANNNNNN..GGGGG..SSSSUUUUuuuiiiiyyyykkkkk
AAAAANNNNNN...GGG...SSSSUUUUuuuiiiirrrrkkkkk
AABBBBNNOO..........SSSSUUUUuuuiiiirrrrkkkk.
..BBBBOOOOQQQQ.IIII..SSSUUUUuuuiiiirrrrrkkk.
..BBBBOOOOQQQQ.III.....UUUUUuuuuniirrrrrkk..
.BBBBBOOOOQQQQ......MMMUUUUUuuuunniggggggk..
.BBBBBOOOOOQQQ.KK..MMMMUUUUUhhhhnniggggggk..
.WWWWWWOEEEEQ..KKK.MMMMUUUUUhhhhnnnngggggg..
.WWWWWWEEEEE...KKK.MMMMUUUUhhhhhnnnnnggg...j
.WWWWWWEEEEE.......MMMMHHUUhhhhhnnnnnnnn..jj
.WWWWWWEEEE.....LLLLLHHHHddddhhhnnnnnnn...jj
..WWWWWEEE.....LLLLLHHHHHdddddxxxxnnnnn..jj.
...CCCCCE......LLLLLHHHH.dddddxxxxtttt......
...CCCC........LLLL..HH.ddddddxxxxtttt......
....CCCC................ddddddxxxxttttt.....
.....CCCVVV...aaaaeeeeeeddddd..xxxttttt.....
......VVVVV..aaaaaaeeeeeedddd..xx..ttt......
.....VVVVVV..aaaaaaeeeeee..dd..xx...tt......
....PPPVZZZZ..aaaaaffffff...................
....PPPPZZZZ..aaaaafffffffff......qqqq......
....PPPPZZZZ...aaaccccffffff......qqqqq.ppp.
....PPPPZZZZ....a.cccccffff.......qqqqq.pppp
.....PPPZZZZ......cccccfff.........qqq..pppp
.....RRRRZZ........ccssff..mm............pp.
.....RRRRR.........sssss..mmm....www.ww.....
.....RRRR..........sssss..mmm...wwwwwwzzzzz.
.....RRRR...........ssss..mm....wwwwwwzzzzz.
.....RRR............sss.........wwwwwwzzzzz.
......RR.........................www..zzzzz.
......RR................................zz..
""".strip().splitlines()
COLUMNS, ROWS = len(DRAWN[0]), len(DRAWN)


def _letter(x: int, y: int) -> str:
    return DRAWN[y][x] if 0 <= x < COLUMNS and 0 <= y < ROWS else SEA


def _steps(letter: str) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """The unit steps around a letter's cells, land to the right: from each corner, the corners that follow."""
    steps: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for y in range(ROWS):
        for x in range(COLUMNS):
            if DRAWN[y][x] == letter:
                for outside, start, end in (
                    (_letter(x, y - 1), (x, y), (x + 1, y)),
                    (_letter(x + 1, y), (x + 1, y), (x + 1, y + 1)),
                    (_letter(x, y + 1), (x + 1, y + 1), (x, y + 1)),
                    (_letter(x - 1, y), (x, y + 1), (x, y)),
                ):
                    if outside != letter:
                        steps.setdefault(start, []).append(end)
    return steps


def _ring(letter: str) -> list[tuple[int, int]]:
    """The corners around a territory, in order. Drawn letters hang together by sides, so there is one ring."""
    steps = _steps(letter)
    at = start = min(steps)
    ring = [start]
    heading = (0, 0)
    while True:
        # Where two cells touch by a corner only, keep right, so that the ring does not cut through the corner.
        right = (-heading[1], heading[0])
        following = sorted(steps[at], key=lambda end: (end[0] - at[0], end[1] - at[1]) != right)[0]
        heading = (following[0] - at[0], following[1] - at[1])
        at = following
        if at == start:
            return ring
        ring.append(at)


def _fixed(corner: tuple[int, int]) -> bool:
    """Whether three or more of sea and territories meet here: smoothing must not move such a corner."""
    x, y = corner
    around = (_letter(x - 1, y - 1), _letter(x, y - 1), _letter(x, y), _letter(x - 1, y))
    return len(set(around)) > 2 or (around[0] == around[2] and around[1] == around[3])


def _smooth(line: list[Point], closed: bool, passes: int = 3) -> list[Point]:
    """Each point drawn towards its neighbours; the ends of an open line stay."""
    for _ in range(passes):
        n = len(line)
        line = [
            line[i]
            if not closed and i in (0, n - 1)
            else tuple((line[i - 1][k] + 2 * line[i][k] + line[(i + 1) % n][k]) / 4 for k in (0, 1))  # type: ignore[misc]
            for i in range(n)
        ]
    return line


@cache
def outlines() -> tuple[tuple[Point, ...], ...]:
    """Each territory's outline, in cells: x from 0 to COLUMNS, y from 0 to ROWS."""
    found = []
    for letter in LETTERS:
        ring = _ring(letter)
        corners = [i for i, corner in enumerate(ring) if _fixed(corner)]
        points: list[Point] = []
        if not corners:
            points = _smooth([(float(x), float(y)) for x, y in ring], closed=True)
        for start, end in zip(corners, [*corners[1:], *[i + len(ring) for i in corners[:1]]], strict=True):
            stretch: list[Point] = [ring[i % len(ring)] for i in range(start, end + 1)]
            points += _smooth(stretch, closed=False)[:-1]
        found.append(tuple(points))
    return tuple(found)


@cache
def touching() -> frozenset[tuple[int, int]]:
    """The pairs of territories that share a stretch of border."""
    found = set()
    for y in range(ROWS):
        for x in range(COLUMNS):
            for other in (_letter(x + 1, y), _letter(x, y + 1)):
                if DRAWN[y][x] != other and SEA not in (DRAWN[y][x], other):
                    a, b = sorted((LETTERS.index(DRAWN[y][x]), LETTERS.index(other)))
                    found.add((a, b))
    return frozenset(found)


@cache
def sea_routes() -> tuple[tuple[int, int], ...]:
    """The edges that the drawing must show as lines over sea."""
    return tuple(edge for edge in EDGES if edge not in touching())


@cache
def centres() -> tuple[Point, ...]:
    """Where a territory's armies stand: the middle of its broadest part."""
    found = []
    for t in range(TERRITORIES):
        cells = [(x, y) for y in range(ROWS) for x in range(COLUMNS) if DRAWN[y][x] == LETTERS[t]]
        mean = (sum(x for x, _ in cells) / len(cells), sum(y for _, y in cells) / len(cells))
        found.append((mean[0] + 0.5, mean[1] + 0.5))
    return tuple(found)
