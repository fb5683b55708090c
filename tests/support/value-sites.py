#!/usr/bin/python3
"""value-sites.py SEED SITES: writes the text profiles 1.proftext to 3.proftext,
whose sites of indirect calls and of sizes have 17 to 255 values, of which many
are repeated, in orders that sorts find easy, hard or as hard as possible."""
import random
import sys


class Adversary:
    """Compares numbers that are not chosen before an answer demands it (McIlroy,
    A Killer Adversary for Quicksort): the pivot is nearly the smallest value."""

    def __init__(self, size):
        self.values = [size] * size
        self.chosen = self.candidate = 0

    def less(self, x, y):
        last = len(self.values)
        if self.values[x] == last and self.values[y] == last:
            self.values[x if x == self.candidate else y] = self.chosen
            self.chosen += 1
        if self.values[x] == last:
            self.candidate = x
        elif self.values[y] == last:
            self.candidate = y
        return self.values[x] < self.values[y]


def divide(p, low, high, less):
    """One division of std::sort; returns where the upper part begins."""
    a, b, c = low + 1, (low + high) // 2, high - 1
    if less(p[a], p[b]):
        median = b if less(p[b], p[c]) else c if less(p[a], p[c]) else a
    else:
        median = a if less(p[a], p[c]) else c if less(p[b], p[c]) else b
    p[low], p[median] = p[median], p[low]
    pivot, low = p[low], low + 1
    while True:
        while less(p[low], pivot):
            low += 1
        high -= 1
        while less(pivot, p[high]):
            high -= 1
        if low >= high:
            return low
        p[low], p[high] = p[high], p[low]
        low += 1


def hardest(size):
    adversary, p = Adversary(size), list(range(size))
    parts = [(0, size)]
    while parts:
        low, high = parts.pop()
        if high - low > 16:
            middle = divide(p, low, high, adversary.less)
            parts += [(low, middle), (middle, high)]
    return adversary.values


def values(rnd, size):
    kind = rnd.randrange(6)
    if kind == 0:
        every = rnd.choice((1, 1, 2, 3))
        return [value // every for value in hardest(size)]
    most = rnd.choice((1, 2, 3, 5, size // 4 + 1, size // 2, size, 4 * size))
    found = [rnd.randrange(most) for _ in range(size)]
    return sorted(found, reverse=kind == 1) if kind < 3 else found


def counts(rnd, size):
    if rnd.randrange(3) == 0:
        return range(size + 1, 1, -1)
    most = rnd.choice((3, 20, 1000, 10**9))
    return [rnd.randrange(1, most) for _ in range(size)]


def main(seed, sites):
    rnd = random.Random(seed)
    names = [f'f{n}' for n in range(1020)]
    for number in 1, 2, 3:
        with open(f'{number}.proftext', 'w') as f:
            print(':ir', file=f)
            for kind in 0, 1:
                print(f'sites{kind}', 1, 1, 5, 1, kind, sites, sep='\n', file=f)
                for _ in range(sites):
                    size = rnd.randrange(17, rnd.choice((40, 130, 256)))
                    if number > 1 and rnd.randrange(10) == 0:
                        size = 0
                    print(size, file=f)
                    for v, n in zip(values(rnd, size), counts(rnd, size)):
                        print(v if kind == 1 else names[v] if v % 3 else
                              '** External Symbol **', n, sep=':', file=f)
                print(file=f)
            for name in names:
                print(name, 1, 1, 1, '', sep='\n', file=f)


main(int(sys.argv[1]), int(sys.argv[2]))
