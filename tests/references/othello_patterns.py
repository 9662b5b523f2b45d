"""The patterns of othello's network read off a board cell by cell: slow and obvious."""


def seen(board, side):
    """The patterns of a board of rows of 0 (empty), 1 and 2, as a sorted list of (kind, cells), mirror images alike; a kind is
    `edge 0` to `edge 3` for lines by their distance from the edge, `corner`, or `diagonal N` for one of N cells."""
    view = [[0 if x == 0 else 1 if x == 1 + side else 2 for x in row] for row in board]
    found = []
    for k in range(8):
        for line in (view[k], [row[k] for row in view]):
            found.append((f"edge {min(k, 7 - k)}", either(line)))
    for rows in (range(3), range(7, 4, -1)):
        for columns in (range(3), range(7, 4, -1)):
            cells = [[view[r][c] for c in columns] for r in rows]
            turned = [list(column) for column in zip(*cells, strict=True)]
            found.append(("corner", min(flat(cells), flat(turned))))
    for total in range(15):
        for line in (
            [view[r][total - r] for r in range(8) if 0 <= total - r < 8],
            [view[r][7 - total + r] for r in range(8) if 0 <= 7 - total + r < 8],
        ):
            if len(line) >= 4:
                found.append((f"diagonal {len(line)}", either(line)))
    return sorted(found)


def either(line):
    return min(tuple(line), tuple(reversed(line)))


def flat(cells):
    return tuple(x for row in cells for x in row)
