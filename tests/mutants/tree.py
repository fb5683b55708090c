"""Builds of the project whose library is shared by all programs and tests.

A mutant then needs one compilation and one link, whichever tests are run.
"""
import os
import re
import shlex
import subprocess

LIBRARY = "libmutants.so"
ARCHIVES = ("lib/libprof.a", "cmd/libcli.a")
# Wrappers of malloc(3), which are linked to the library for others only, and
# the archive of that library, which the test of them is linked to.
WRAPPERS = "lib/libprof/malloc.o"
INSTALLED = "lib/libprof/libprof.a"
PLANTED = "tests/support/planted.so"     # tried by sandbox.bats


class Tree:
    """A configured build folder."""

    def __init__(self, source, folder):
        self.source = source
        self.folder = folder
        self.variables = {}

    def call(self, command, **more):
        subprocess.run(command, cwd=self.folder, check=True, **more)

    def build(self, jobs, flags, objects=""):
        """Configures and makes the tree; objects: linked into each file."""
        os.makedirs(self.folder, exist_ok=True)
        make = ["make", "-s", "-j%d" % jobs]
        with open(os.path.join(self.folder, "build.log"), "w") as log:
            quiet = {"stdout": log, "stderr": subprocess.STDOUT}
            self.call([os.path.join(self.source, "configure"), "-q",
                       # Programs call functions that the library for
                       # others hides.
                       "--disable-library",
                       "CC=" + os.environ.get("CC", "cc"),
                       "CFLAGS=%s -fPIC" % flags, "LIBS=" + objects], **quiet)
            self.call(make + ["lib/export/profile.pb-c.h"], **quiet)
            self.call(make + list(ARCHIVES), **quiet)
            self.call(make + [INSTALLED], **quiet)
            self.link_library(self.folder)
            for archive in ARCHIVES:
                self.replace(os.path.join(self.folder, archive))
            self.call(make + ["all", "check-programs", PLANTED], **quiet)

    def replace(self, archive):
        """Makes an archive a script by which the linker takes the library; for
        make it is as old as it was."""
        made = os.stat(archive).st_mtime_ns
        os.remove(archive)
        with open(archive, "w") as script:
            script.write("INPUT(%s)\n" % os.path.join(self.folder, LIBRARY))
        os.utime(archive, ns=(made, made))

    def build_tests(self, jobs):
        """Unit tests whose sources changed."""
        with open(os.path.join(self.folder, "build.log"), "a") as log:
            quiet = {"stdout": log, "stderr": subprocess.STDOUT}
            self.call(["make", "-s", "Makefile"], **quiet)
            self.variables.clear()
            self.call(["make", "-s", "-j%d" % jobs] +
                      self.variable("unit_tests"), **quiet)
        for test in self.wrapped():
            self.link_test(test, os.path.join(self.folder, test))

    def wrapped(self):
        """Tests in which calls of the library go to wrappers, which takes a
        link with the objects of the library."""
        if "wrapped" not in self.variables:
            with open(os.path.join(self.folder, "Makefile")) as file:
                self.variables["wrapped"] = [
                    "tests/unit/" + name for name in re.findall(
                        r"(?m)^tests_unit_(\w+)_LDFLAGS =.*failing_flags",
                        file.read())]
        return self.variables["wrapped"]

    def link_test(self, test, to, replaced=None):
        """Links such a test; replaced: object -> other object."""
        name = re.sub(r"\W", "_", test)
        objects = self.variable(name + "_OBJECTS") + [
            (replaced or {}).get(word, word) for word in
            self.library_objects()]
        self.call(self.variable("CC") + self.variable(name + "_LDFLAGS") +
                  ["-o", to] + objects + self.libraries())

    def variable(self, name):
        """The words of a variable of the Makefile."""
        if name in self.variables:
            return self.variables[name]
        out = subprocess.run(
            ["make", "-s", "--no-print-directory",
             "--eval=print-it: ; @echo $(%s)" % name, "print-it"],
            cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True)
        # Where the Makefile is older than its source, make tells first of that.
        self.variables[name] = shlex.split(out.stdout.splitlines()[-1])
        return self.variables[name]

    def libraries(self):
        return [word for word in self.variable("LDADD") +
                self.variable("LIBS") if word not in ARCHIVES]

    def library_objects(self):
        return [word for name in ("lib_libprof_a_OBJECTS",
                                  "cmd_libcli_a_OBJECTS")
                for word in self.variable(name) if word != WRAPPERS]

    def link_library(self, folder, replaced=None):
        """Links the shared library; replaced: object -> other object."""
        objects = [(replaced or {}).get(word, word)
                   for word in self.library_objects()]
        self.call(self.variable("CC") +
                  ["-shared", "-Wl,-Bsymbolic", "-Wl,-soname," + LIBRARY,
                   "-o", os.path.join(folder, LIBRARY)] + objects +
                  self.libraries())

    def compile_command(self, source):
        """How the Makefile compiles a file, without where to and from."""
        return self.variable("CC") + self.variable("DEFS") + \
            self.variable("DEFAULT_INCLUDES") + self.variable("AM_CPPFLAGS") + \
            self.variable("AM_CFLAGS") + self.variable("CFLAGS") + \
            ["-iquote", os.path.join(self.source, os.path.dirname(source))]
