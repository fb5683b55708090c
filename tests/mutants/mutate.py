"""Small faults of C sources: what can be changed in a file, and how.

Sources are split into tokens, not parsed: a mutant that is no C is found by the
compiler.  Only bodies of functions are changed, which in this project begin and
end with a brace in the first column.
"""
import collections
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)(?:[uUlL]*)\b)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S | re.M)

Token = collections.namedtuple("Token", "kind text start end")
Mutant = collections.namedtuple("Mutant", "path kind start end new line")

EDGES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "|=": "=", "&=": "=",
        "<<": ">>", ">>": "<<", "++": "--", "--": "++"}
RETURNS = {"false": ["true"], "true": ["false"], "-1": ["0"], "0": ["1"],
           "1": ["0"], "NULL": [], "PROF_FAIL": ["PROF_OK", "PROF_END"],
           "PROF_OK": ["PROF_FAIL", "PROF_END"],
           "PROF_END": ["PROF_OK", "PROF_FAIL"]}
# Calls whose success is checked, and which are left out as if they had it.
DURABLE = re.compile(r"f(?:data)?sync|fchmod|fchown|futimens|flock|fclose|fflush"
                     r"|ferror|ftruncate|fallocate|rename(?:at2?)?|link(?:at)?"
                     r"|unlink(?:at)?|output_sync_\w+|close|pthread_mutex_lock")
# Who frees memory or gives hints: no test but a leak check or a clock notices.
UNSEEN = re.compile(r"(?:\w+_)?(?:free\w*|prefetch\w*|advise|madvise|huge\w*)$"
                    r"|__builtin_prefetch$|assert$|prof_close$|arena_reset$"
                    r"|debuginfod_end$|FREE_TABLE$")
# Whose arguments may be in any order; of COMPARED if it is compared with 0.
SYMMETRIC = re.compile(r"calloc|reallocarray|arena_array|(?:\w+_)?same(?:_\w+)?"
                       r"|\w+_equals?")
COMPARED = {"memcmp", "strcmp", "strncmp"}
KEYWORDS = {"if", "for", "while", "switch", "return", "else", "do", "goto",
            "break", "continue", "case", "default", "sizeof", "struct", "enum",
            "union", "const", "static", "unsigned", "signed"}
OPEN = {"(": ")", "[": "]", "{": "}"}


def tokens(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            found.append(Token(match.lastgroup, match.group(), match.start(),
                               match.end()))
    return found


def partners(found):
    """Index of the closing bracket of each opening one."""
    pairs, open_ones = {}, []
    for i, token in enumerate(found):
        if token.text in OPEN and token.kind == "mark":
            open_ones.append(i)
        elif token.text in OPEN.values() and token.kind == "mark" and open_ones:
            pairs[open_ones.pop()] = i
    return pairs


def bodies(text, found, pairs):
    """Ranges of tokens within functions."""
    for i, token in enumerate(found):
        if token.text == "{" and i in pairs and \
                (token.start == 0 or text[token.start - 1] == "\n"):
            yield i + 1, pairs[i]


class File:
    """A source file and all its mutants."""

    def __init__(self, root, path):
        with open("%s/%s" % (root, path)) as file:
            self.text = file.read()
        self.path = path
        self.tokens = tokens(self.text)
        self.pairs = partners(self.tokens)
        self.opening = {last: first for first, last in self.pairs.items()}
        self.mutants = []
        for first, last in bodies(self.text, self.tokens, self.pairs):
            for i in [] if self.is_hint(first) else range(first, last):
                self.change_mark(i)
                self.change_number(i)
                self.change_control(i)
                self.change_call(i)
                self.drop_statement(i)

    def is_hint(self, first):
        """Whether the function whose body begins there only gives hints."""
        opening = self.opening.get(first - 2, 0)
        return "prefetch" in self.tokens[opening - 1].text

    def add(self, kind, first, last, new):
        """Replaces the tokens first to last; lines stay where they are."""
        start, end = self.tokens[first].start, self.tokens[last].end
        old = self.text[start:end]
        if new == old:
            return
        new += "\n" * (old.count("\n") - new.count("\n"))
        self.mutants.append(Mutant(self.path, kind, start, end, new,
                                   self.text.count("\n", 0, start) + 1))

    def source(self, first, last):
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def is_operand_end(self, i):
        token = self.tokens[i]
        return token.kind in ("number", "text") or token.text in (")", "]") or \
            token.kind == "word" and token.text not in KEYWORDS

    def change_mark(self, i):
        token = self.tokens[i]
        if token.kind != "mark":
            return
        if token.text in EDGES:
            self.add("edge", i, i, EDGES[token.text])
        elif token.text in LOGIC:
            self.add("logic", i, i, LOGIC[token.text])
        elif token.text in SUMS and (token.text not in "+-" or
                                     self.is_operand_end(i - 1)):
            self.add("sum", i, i, SUMS[token.text])

    def change_number(self, i):
        token = self.tokens[i]
        # Of `return -1` no caller asks more than the sign.
        if token.kind != "number" or \
                self.tokens[i - 2].text == "return" and \
                self.tokens[i - 1].text == "-":
            return
        digits = token.text.rstrip("uUlL")
        value = int(digits, 0 if digits.lower().startswith("0x") else 10)
        suffix = token.text[len(digits):]
        for other in (value + 1, value - 1):
            if other >= 0:
                self.add("constant", i, i, "%d%s" % (other, suffix))

    def change_control(self, i):
        token = self.tokens[i]
        following = self.tokens[i + 1] if i + 1 < len(self.tokens) else None
        if token.text == "if" and i + 1 in self.pairs:
            last = self.pairs[i + 1]
            self.add("condition", i + 1, last,
                     "(!%s)" % self.source(i + 1, last))
        elif token.text in ("break", "continue") and following.text == ";":
            self.add("jump", i, i, "continue" if token.text == "break"
                     else "break")
        elif token.text == "return":
            self.change_return(i)

    def change_return(self, i):
        last = i
        while self.tokens[last].text != ";":
            last = self.pairs.get(last, last) + 1
        for value in RETURNS.get(self.source(i + 1, last - 1), [])  \
                if last > i + 1 else []:
            self.add("return", i + 1, last - 1, value)
        # One that ends a function stays: what follows is not defined.
        if self.tokens[last + 1].text != "}" or \
                self.tokens[last + 1].start != 0 and \
                self.text[self.tokens[last + 1].start - 1] != "\n":
            self.add("return", i, last, ";")

    def change_call(self, i):
        token = self.tokens[i]
        if token.kind != "word" or token.text in KEYWORDS or \
                i + 1 not in self.pairs or self.tokens[i + 1].text != "(":
            return
        last = self.pairs[i + 1]
        if DURABLE.fullmatch(token.text) and not self.begins_statement(i):
            self.add("durable", i, last, "(0)")
        if SYMMETRIC.fullmatch(token.text) or token.text in COMPARED and \
                self.tokens[last + 1].text in ("==", "!="):
            return
        arguments = self.arguments(i + 1, last)
        for (a, b), (c, d) in zip(arguments, arguments[1:]):
            self.add("arguments", a, d, "%s, %s" % (self.source(c, d),
                                                    self.source(a, b)))

    def arguments(self, first, last):
        """Ranges of tokens of the arguments between two brackets."""
        found, begin, i = [], first + 1, first + 1
        while i < last:
            if self.tokens[i].text == ",":
                found.append((begin, i - 1))
                begin = i + 1
            i = self.pairs.get(i, i) + 1
        if begin < last:
            found.append((begin, last - 1))
        return found

    def begins_statement(self, i):
        before = self.tokens[i - 1].text
        if before == ")":
            opening = self.opening.get(i - 1, 1)
            return self.tokens[opening - 1].text in ("if", "for", "while",
                                                     "switch")
        return before in (";", "{", "}", ":", "else", "do")

    def drop_statement(self, i):
        """Calls and assignments; not declarations."""
        token = self.tokens[i]
        if token.kind != "word" and token.text != "(" or \
                token.text in KEYWORDS or not self.begins_statement(i):
            return
        last, kind, called = i, None, token.text
        while last < len(self.tokens) and self.tokens[last].text != ";":
            text = self.tokens[last].text
            if self.tokens[last].kind == "word" and last > i and \
                    self.tokens[last - 1].kind == "word":
                return		# a declaration
            if kind is None and text == "*" and last == i + 1:
                return		# a declaration, too
            if text == "=" or text.endswith("=") and text not in EDGES or \
                    text in ("++", "--"):
                kind = "assignment"
            elif kind is None and text == "(" and last > i:
                kind, called = "call", self.tokens[last - 1].text
            if text in ("}", "{", ":", "?") and kind is None:
                return
            last = self.pairs.get(last, last) + 1
        if kind == "call" and UNSEEN.match(called):
            return
        if kind is not None and last < len(self.tokens):
            self.add(kind, i, last, ";")


def apply(text, mutant):
    return text[:mutant.start] + mutant.new + text[mutant.end:]
