#!/usr/bin/env python3
"""Random programs in C and C++, for comparisons of coverage.

A program is known by its seed.  It has what makes regions of coverage: macros
in macros, skipped lines, templates, dummies, decisions.  `write(seed, release,
folder)` writes its files and returns how to build it.
"""

import hashlib
import os
import random
import sys

CONSTANTS = ["0", "1", "2", "3", "7", "sizeof(int)", "'a'"]
CONDITION_OPS = ["<", ">", "==", "!=", "<=", "&", ">="]
NAMES = [b"a b", b"q\"uote", b"tab\tx", "\u00fc\u4e2d".encode(), b"x\xffy",
         b"com,ma", b"it's", b"back\\slash", b"new..dots"]


class Program:
    """The text of a program, made by one stream of random numbers."""

    def __init__(self, seed, release):
        self.r = random.Random(seed * 100 + release)
        self.release = release
        self.cpp = self.r.random() < 0.55
        self.mcdc = release >= 18 and self.r.random() < 0.5
        self.size = self.r.choice([1, 1, 2, 2, 3, 5])
        self.macros = []          # (name, arguments, is a statement)
        self.functions = []       # (name, arguments)
        self.templates = []
        self.classes = []
        self.variables = ["a", "b", "g"]
        self.label = self.unique = self.depth = 0
        self.loops = 0
        self.constant = self.r.choice([0.02, 0.1, 0.4])
        self.line_breaks = self.r.choice([0, 0.02, 0.3])

    # Small helpers.

    def chance(self, p):
        return self.r.random() < p

    def number(self):
        self.unique += 1
        return self.unique

    def blank(self):
        """A break inside of a statement."""
        if self.chance(self.line_breaks):
            return self.r.choice(["\n", "\n\t", " /* c */ ", "\n\n", "  ",
                                  " // c\n"])
        return " "

    def oneline(self, text):
        if "#" in text or "//" in text or "\\" in text:
            return text
        return text.replace("\n", " ") + "\n"

    # Expressions.

    def leaf(self):
        if self.chance(0.3):
            return self.r.choice(CONSTANTS)
        return self.r.choice(self.variables)

    def call_macro(self, depth):
        name, arguments, statement = self.r.choice(self.macros)
        if statement:
            return self.leaf()
        if arguments == 0:
            return name
        return "%s(%s)" % (name, ", ".join(self.expression(depth - 1)
                                           for _ in range(arguments)))

    def expression(self, depth):
        if depth <= 0:
            return self.leaf()
        kind = self.r.randrange(16)
        if kind < 3:
            return "(%s %s %s)" % (self.expression(depth - 1),
                                   self.r.choice("+-*^|&"),
                                   self.expression(depth - 1))
        if kind < 5:
            return "(%s%s?%s%s%s:%s%s)" % (
                self.condition(depth - 1), self.blank(), self.blank(),
                self.expression(depth - 1), self.blank(), self.blank(),
                self.expression(depth - 1))
        if kind == 5 and self.chance(0.3):
            return "(%s%s?: %s)" % (self.expression(depth - 1), self.blank(),
                                    self.expression(depth - 1))
        if kind < 7:
            return "(%s)" % self.condition(depth)
        if kind < 9 and self.macros:
            return self.call_macro(depth)
        if kind < 11 and self.functions:
            name, arguments = self.r.choice(self.functions)
            return "%s(%s)" % (name, ", ".join(
                self.expression(depth - 1) for _ in range(arguments)))
        if kind == 11 and self.chance(0.3):
            name = "s%d" % self.number()
            return "({%sunsigned %s = %s;%s %s; })" % (
                self.blank(), name, self.expression(depth - 1),
                self.statement(1, True) if self.chance(0.5) else "", name)
        if self.cpp and kind == 12:
            return "[&](unsigned c)%s{%sreturn %s; }(%s)" % (
                self.blank(), self.statement(1, True) if self.chance(0.4)
                else " ", self.expression(depth - 1),
                self.expression(depth - 1))
        if self.cpp and kind == 13 and self.templates:
            return "%s<%s>(%s)" % (self.r.choice(self.templates),
                                   self.r.choice(["int", "long", "char",
                                                  "unsigned"]),
                                   self.expression(depth - 1))
        if self.cpp and kind == 14 and self.classes:
            return "%s(%s).%s(%s)" % (self.r.choice(self.classes),
                                      self.expression(depth - 1),
                                      self.r.choice(["get", "put"]),
                                      self.expression(depth - 1))
        return self.leaf()

    def condition(self, depth):
        kind = self.r.random()
        if self.chance(self.constant):
            return self.r.choice(["0", "1", "sizeof(int) == 4", "(1 > 2)"])
        if depth > 0 and kind < 0.45:
            return "%s%s%s %s" % (
                self.parenthesis(self.condition(depth - 1)), self.blank(),
                self.r.choice(["&&", "||"]),
                self.parenthesis(self.condition(depth - 1)))
        if depth > 0 and kind < 0.52:
            return "!(%s)" % self.condition(depth - 1)
        if kind < 0.65 and self.macros:
            return self.call_macro(1)
        return "%s %s %s" % (self.expression(depth - 1),
                             self.r.choice(CONDITION_OPS), self.leaf())

    def parenthesis(self, text):
        return "(%s)" % text

    # Statements.

    def block(self, depth):
        if self.chance(0.15):
            return self.statement(depth - 1, True)
        return "{%s%s}%s" % (self.r.choice(["\n", " "]), "".join(
            self.statement(depth - 1)
            for _ in range(self.r.randrange(0, 3))), self.r.choice(["\n", "",
                                                                    "\n"]))

    def loop(self, depth):
        self.loops += 1
        i = "i%d" % self.number()
        kind = self.r.randrange(5)
        body = self.block(depth)
        if kind == 0:
            text = "for (unsigned %s = 0; %s < %d%s; %s++)%s" % (
                i, i, self.r.randrange(4), self.r.choice(
                    ["", " && " + self.condition(1)]), i, body)
        elif kind == 1:
            text = "{ unsigned %s = %d;\nwhile (%s--%s)\n%s}\n" % (
                i, self.r.randrange(4), i, self.r.choice(
                    ["", " && " + self.condition(1)]), body)
        elif kind == 2:
            text = "{ unsigned %s = 0;\ndo %s while (++%s < %d);\n}\n" % (
                i, "{ %s }" % body, i, self.r.randrange(1, 4))
        elif kind == 3 and self.cpp:
            text = "for (unsigned %s : list)%s" % (i, body)
        else:
            text = "for (unsigned %s = 3;;) { if (!%s--) break;\n%s}\n" % (
                i, i, body)
        self.loops -= 1
        return text

    def switch(self, depth):
        text = "switch (%s) {%s" % (self.expression(1), self.blank())
        for case in range(self.r.randrange(0, 4)):
            text += "case %d:%s{ %s}%s" % (
                case, self.blank(), self.statement(depth - 1),
                self.r.choice(["break;\n", "", "break;\n"]))
        if self.chance(0.6):
            text += "default:%s{ %s}" % (self.blank(),
                                        self.statement(depth - 1))
        return text + "}\n"

    def skipped(self, depth):
        kind = self.r.randrange(6)
        inner = self.statement(depth - 1)
        if kind == 0:
            return "\n#if 0\n%s\n#else\n%s\n#endif\n" % (
                self.statement(1, True), inner)
        if kind == 1:
            return "\n#ifdef NEVER\n%s\n#endif\n" % self.statement(1, True)
        if kind == 2:
            return "/* a comment\n * of lines */\n%s" % inner
        if kind == 3:
            return "\n\n\n%s\n" % inner
        if kind == 4:
            return "// comment\n%s  // behind\n" % inner.rstrip("\n")
        return "\n#if defined(GIVEN) && 1\n%s\n#elif 1\n%s\n#endif\n" % (
            inner, self.statement(1, True))

    def statement(self, depth, plain=False):
        kind = self.r.randrange(34)
        if depth <= 0 or plain or kind < 6:
            return "g += %s;%s" % (self.expression(2),
                                   self.r.choice(["\n", " ", "\n\n"]))
        if kind < 12:
            text = "if (%s)%s%s" % (self.condition(3), self.blank(),
                                    self.block(depth))
            while self.chance(0.3):
                text += "else if (%s)%s%s" % (self.condition(2),
                                              self.blank(), self.block(depth))
            if self.chance(0.4):
                text += "else%s%s" % (self.blank(), self.block(depth))
            return self.oneline(text) if self.chance(0.1) else text
        if kind < 16:
            return self.loop(depth) if self.loops < 3 else ";\n"
        if kind < 18:
            return self.switch(depth)
        if kind < 20:
            return self.skipped(depth)
        if kind == 20:
            return "if (%s) return %s;\n" % (self.condition(1),
                                             self.expression(1))
        if kind == 21 and self.loops:
            return "if (%s)%s%s;\n" % (self.condition(1), self.blank(),
                                       self.r.choice(["break", "continue"]))
        if kind < 25 and self.macros:
            name, arguments, statement = self.r.choice(self.macros)
            return "%s%s;\n" % (name, "(%s)" % ", ".join(
                self.expression(1) for _ in range(arguments))
                if arguments else "")
        if kind == 25:
            self.label += 1
            return "if (%s) goto l%d;\n%sl%d:%s;\n" % (
                self.condition(1), self.label, self.statement(1, True),
                self.label, self.blank())
        if kind == 26:
            return "{%s%s}\n" % (self.blank(), self.statement(depth - 1))
        if kind == 27:
            return self.r.choice([";", ";;\n", "(void)a;\n", "return g;\n"])
        if kind == 28 and self.chance(0.3):
            return "\n#include \"body.inc\"\n"
        if kind == 29 and self.chance(0.3):
            return "\n#line %d%s\n" % (self.r.randrange(1, 400), self.r.choice(
                ["", ' "other.c"', ' "h0.h"']))
        if kind == 30 and self.cpp:
            text = "try { %s if (%s) throw %s; } catch (%s) %s" % (
                self.statement(depth - 1), self.condition(1),
                self.r.choice(["1", "'c'"]), self.r.choice(
                    ["int e", "...", "char"]), "{ %s }\n" % self.block(1))
            return text
        if kind == 31 and self.cpp:
            return "if constexpr (%s)%selse%s" % (
                self.r.choice(["sizeof(a) == 4", "false"]),
                "{ %s}\n" % self.statement(depth - 1), "{ %s}\n" %
                self.statement(depth - 1))
        if kind == 32 and self.cpp:
            return "if (unsigned v = %s; v > %s)%s" % (
                self.expression(1), self.leaf(), self.block(depth))
        if kind == 33 and self.chance(0.5):
            return "if (%s) { stop(); %s}\n" % (
                self.condition(1), self.statement(depth - 1))
        name = "v%d" % self.number()
        return "unsigned %s = %s; g += %s;\n" % (name, self.expression(2),
                                                name)

    def body(self, depth):
        return "{%s%s%sreturn %s;%s}\n" % (
            self.r.choice(["\n", " "]), "".join(
                self.statement(depth)
                for _ in range(self.r.randrange(0, self.size + 2))),
            self.r.choice(["", "\t"]), self.expression(2),
            self.r.choice(["\n", " "]))

    # Declarations.

    def macro(self):
        name = "M%d" % self.number()
        kind = self.r.randrange(7)
        arguments = self.r.randrange(0, 3)
        names = ["x", "y"][:arguments]
        saved = self.variables
        self.variables = names + (["g"] if self.chance(0.6) else []) or ["g"]
        breaks, self.line_breaks = self.line_breaks, 0
        functions = self.functions
        if self.chance(0.5):
            self.functions = []
        text = "#define %s%s " % (name, "(%s)" % ", ".join(names)
                                  if arguments else "")
        statement = kind in (0, 1)
        if kind == 0:
            text += "do { if (%s) g += %s; } while (0)" % (
                self.condition(2), self.expression(1))
        elif kind == 1:
            text += "if (%s)%sg++; else g += %s" % (
                self.condition(1), self.r.choice([" ", " \\\n\t"]),
                self.expression(2))
        elif kind == 2:
            text += "(%s)" % self.condition(3)
        elif kind == 3:
            text += "((%s) \\\n ? %s \\\n : %s)" % (
                self.condition(2), self.leaf(), self.expression(1))
        elif kind == 4 and arguments == 2:
            text += "(x && (y || x) && %s)" % self.condition(1)
        else:
            text += "(%s)" % self.expression(2)
        self.variables = saved
        self.functions = functions
        self.line_breaks = breaks
        self.macros.append((name, arguments, statement))
        text = text.replace("\\\n", "\0").replace("\n", " ")
        return text.replace("\0", "\\\n") + "\n"

    def function(self, prefix="", name=None):
        name = name or "f%d" % self.number()
        arguments = self.r.randrange(0, 3)
        saved, self.variables = self.variables, ["a", "b"][:arguments] + ["g"]
        if arguments == 0:
            self.variables.append("g")
        missing = "".join(" unsigned %s = g;" % v
                          for v in ["a", "b"][arguments:])
        self.variables = ["a", "b", "g"]
        text = "%sunsigned%s%s(%s)%s{%s (void)a; (void)b; %s" % (
            prefix, self.r.choice([" ", "\n"]), name, ", ".join(
                "unsigned " + v for v in ["a", "b"][:arguments]) or
            ("" if self.cpp else "void"), self.r.choice([" ", "\n"]),
            missing, self.body(self.size)[1:])
        self.variables = saved
        if self.chance(0.1):
            text = self.oneline(text)
        if self.chance(0.02):
            text = " " * 70000 + text
        self.functions.append((name, arguments))
        return text

    def template(self):
        name = "t%d" % self.number()
        text = ("template <class T> unsigned %s(T a)\n{ T b = a; (void)b;\n%s"
                % (name, self.body(self.size)[1:]))
        self.templates.append(name)
        return text

    def member_class(self):
        name = "C%d" % self.number()
        text = "struct %s {\n\tunsigned m = %s;\n" % (
            name, self.r.choice(["0", "g > 2 ? 1 : 2", "[] { return 3; }()"]))
        text += "\t%s(unsigned a) : m(%s) {%s}\n" % (
            name, self.r.choice(["a", "a && g ? a : 1"]), self.r.choice(
                ["", " if (a > 2) m++; "]))
        if self.chance(0.5):
            text += "\t%s~%s() { if (m) g++; }\n" % (
                self.r.choice(["", "virtual "]), name)
        if self.chance(0.3):
            text += "\t%s(const %s &) = default;\n" % (name, name)
        text += "\tunsigned get(unsigned b) { unsigned a = m; (void)a;\n%s" % (
            self.body(1)[1:])
        text += "\tunsigned put(unsigned b);\n};\n"
        text += "inline unsigned %s::put(unsigned b)\n" \
            "{ unsigned a = b; (void)a;\n%s" % (name, self.body(1)[1:])
        self.classes.append(name)
        return text

    def declaration(self):
        kind = self.r.randrange(14)
        if kind < 3:
            return self.macro()
        if self.cpp and kind == 3:
            return self.template()
        if self.cpp and kind == 4:
            return self.member_class()
        if self.cpp and kind == 5:
            return self.function("inline ") + self.constexpr()
        if self.cpp and kind == 6:
            return "namespace {\n%s}\n" % self.function()
        if kind == 7:
            return "#if %d\n%s#endif\n" % (
                1, self.function("static "))
        if kind == 8:
            name = "f%d" % self.number()
            maker = "D%d" % self.number()
            self.functions.append((name, 1))
            return ("#define %s(n, e) static unsigned n(unsigned a) "
                    "{ unsigned b = a; (void)b; if (e) return a; "
                    "return b + 1; }\n%s(%s, %s)\n%s(%sb, a > 3)\n" % (
                        maker, maker, name, self.condition(2).replace(
                            "\n", " ").replace("// c", ""), maker, name))
        if kind == 9:
            return "/* Nothing */\n\n"
        return self.function("static " if self.chance(0.6) else "")

    def constexpr(self):
        name = "k%d" % self.number()
        return "constexpr unsigned %s(unsigned a)%s{ return a > 1 ? a : 2; " \
            "}\nstatic_assert(%s(3) == 3);\n" % (name, self.blank(), name)

    def declarations(self, size, static=False):
        text = ""
        for _ in range(size):
            text += self.function("static ") if static and \
                self.chance(0.5) else self.declaration()
        return text

    def header(self, guard):
        """Only what may be in several units."""
        text = "#ifndef %s\n#define %s\n" % (guard, guard)
        for _ in range(self.r.randrange(1, 4)):
            text += self.r.choice([
                self.macro, self.macro,
                lambda: self.function("static "),
                self.template if self.cpp else self.macro,
                self.member_class if self.cpp else
                lambda: self.function("static ")])()
        return text + "#endif\n"


def make_files(p):
    """Names of files to their text, and the names of units."""
    suffix = b".cpp" if p.cpp else b".c"
    name = p.r.choice(NAMES) if p.chance(0.08) else b"a"
    start = '#include "h0.h"\n'
    files = {b"h0.h": "#ifndef START\n#define START\n#ifdef __cplusplus\n"
             'extern "C"\n#else\nextern\n#endif\nvoid exit(int) '
             "__attribute__((noreturn));\nextern unsigned g;\n"
             "static const unsigned list[] = { 0, 1, 7 };\n"
             "static inline void stop(void) { exit(g & 3); }\n#endif\n" +
             p.header("H0")}
    shown = (list(p.functions), list(p.macros), list(p.templates),
             list(p.classes))
    units = []
    count = p.r.choice([1, 1, 1, 2])
    for i in range(count):
        if i == 1:
            p.functions, p.macros, p.templates, p.classes = shown
        unit = (name if i == 0 else b"sub/b") + suffix
        text = start if i == 0 else start.replace("h0.h", "../h0.h")
        text += "#ifdef __cplusplus\nextern \"C\"\n#endif\n" \
            "unsigned entry(unsigned a);\n"
        text += p.declarations(p.r.randrange(1, 3 + 2 * p.size))
        if i == 1:
            text += "unsigned entry(unsigned a)\n{ unsigned b = a;\n"
            text += p.body(p.size)[1:]
        if i == 0:
            text += "unsigned g;\nint main(int argc, char **argv)\n{\n" \
                "\tunsigned a = argc, b = 2; (void)argv; (void)b;\n"
            functions = p.functions
            if p.chance(0.3):
                p.functions = p.functions[:len(p.functions) // 2]
            for _ in range(p.r.randrange(1, 6)):
                text += p.statement(p.size)
            p.functions = functions
            text += "\treturn %s;\n}\n" % ("entry(a)" if count > 1 else "0")
        files[unit] = text
        units.append(unit)
    p.macros = p.functions = p.templates = p.classes = []
    files[b"body.inc"] = p.statement(1, True)
    files[b"sub/body.inc"] = p.statement(1, True)
    return files, units


def guid(name):
    """The number by which a mapping knows a name."""
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def write(seed, release, folder):
    """Writes the files.  Returns the names of units, the flags of each, and
    the language."""
    p = Program(seed, release)
    files, units = make_files(p)
    os.makedirs(os.path.join(folder, "sub"), exist_ok=True)
    folder = os.fsencode(folder)
    for name, text in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text.encode())
    flags = ["-w", "-fprofile-instr-generate", "-fcoverage-mapping"]
    if p.cpp:
        flags.append("-std=c++17")
    if p.mcdc:
        flags.append("-fcoverage-mcdc")
    elif release >= 19 and p.chance(0.15):
        flags += ["-mllvm", "-enable-single-byte-coverage"]
    if p.chance(0.3):
        flags.append("-O2")
    if p.chance(0.1):
        flags.append("-m32")
    if p.chance(0.15):
        flags.append("-fcoverage-prefix-map=%s=%s" % (
            os.fsdecode(folder), p.r.choice([".", "/src", "", "x/../y"])))
    if p.chance(0.15):
        flags.append("-fcoverage-compilation-dir=" + p.r.choice(
            [".", "/builds/x", "rel/dir", "/a/./b/.."]))
    if p.chance(0.1):
        flags += ["-mllvm", "-enable-name-compression=false"]
    if p.chance(0.2):
        flags.append("-DGIVEN")
    if p.chance(0.2):
        units = [os.path.join(folder, u) for u in units]
    elif p.chance(0.1):
        units = [b"./sub/../" + u for u in units]
    return {"units": units, "flags": flags, "cpp": p.cpp, "mcdc": p.mcdc,
            "random": p.r}


if __name__ == "__main__":
    made = write(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    print(made["units"], *made["flags"])
