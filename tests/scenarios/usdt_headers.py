# SPDX-License-Identifier: GPL-3.0-or-later
"""`sonde -h` and `sonde -G`, by which programs are built that have probes of their own: what compilers make of the header."""

import dataclasses
import os
import pathlib
import re
import shutil
import struct
import subprocess

import support
from support import Skip, check, equal, scenario

NOPS = bytes.fromhex("90 0f1f440000")

# not among the programs, which are compiled as they are: it needs the header that sonde -h makes
OWN = support.PROGRAMS.parent / "own_probes"

# what is before the @ of each argument of own_probes.d; of bit-fields, GCC takes the size that their bits need
ARGUMENTS = {
    "open": (), "closed": (), "small__signed": ("-1", "-2"), "small__unsigned": ("1", "2"), "wide__signed": ("-4", "-8"),
    "wide__unsigned": ("4", "8"), "texts": ("8", "8"), "addresses": ("8", "8", "8"), "floats": ("4f", "8f"),
    "constants": ("-4", "8", "8f", "4f", "8"), "flags": ("1", "4", "1|-4"), "structs": ("16", "3", "4"), "wide": ("8f", "-16"),
    "bits": ("1|4", "-1|-4"), "in__line": ("-4",), "counted": ("-4",), "most": ("-4",) * 12}
CONSTANTS = "-4@$-5 8@$1099511627776 8f@$4612248968380809216 4f@$1069547520 "

C = "-std=c99 -pedantic -Wall -Wextra -Werror"
# compiler, flags; a program with -O0 has no constants as operands
BUILDS = [(compiler, f"{C} {flags}") for compiler in ("gcc", "clang")
          for flags in ("-O0", "-O1", "-O2", "-O3", "-Os -std=c11", "-O2 -flto", "-O2 -fPIC", "-O1 -ffunction-sections")]
BUILDS += [(compiler, f"-std={standard} -pedantic -Wall -Wextra -Werror {flags}") for compiler in ("g++", "clang++")
           for standard, flags in (("c++98", "-O2 -Wno-c++11-long-long -Wno-long-long"), ("c++11", "-O0"), ("c++17", "-O2 -flto"), ("c++20", "-O1"))]


@dataclasses.dataclass
class Note:
    provider: str
    name: str
    arguments: list
    pc: int
    counter: int


class Elf:
    """The notes of a program of 64 bits, read by no code of sonde's."""

    def __init__(self, path):
        self.bytes = pathlib.Path(path).read_bytes()
        at, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.bytes, 0x3a)
        headers = [struct.unpack_from("<IIQQQQ", self.bytes, at + i * size) for i in range(count)]
        start = headers[names][4]
        self.sections = {}
        for name, kind, _, address, offset, length in headers:
            self.sections[self.text(start + name)] = (address, offset, length, kind)

    def text(self, at):
        return self.bytes[at:self.bytes.index(b"\0", at)].decode()

    def notes(self):
        base = self.sections[".stapsdt.base"][0] if ".stapsdt.base" in self.sections else None
        if ".note.stapsdt" not in self.sections:
            return
        _, at, length, kind = self.sections[".note.stapsdt"]
        equal(kind, 7, "the type of .note.stapsdt")
        end = at + length
        while at < end:
            name_size, size, kind = struct.unpack_from("<III", self.bytes, at)
            equal((self.text(at + 12), name_size, kind), ("stapsdt", 8, 3), "a note's owner")
            at += 12 + 8
            pc, noted, counter = struct.unpack_from("<QQQ", self.bytes, at)
            provider, name, arguments = self.bytes[at + 24:at + size].decode().split("\0")[:3]
            moved = base - noted
            yield Note(provider, name, arguments.split(), pc + moved, counter and counter + moved)
            at += (size + 3) // 4 * 4

    def code(self, address, size):
        for where, offset, length, kind in self.sections.values():
            if kind == 1 and where and where <= address < where + length:
                return self.bytes[offset + address - where:][:size]
        raise AssertionError(f"no section has {address:#x}")


def needs_clang():
    if shutil.which("clang++") is None:
        raise Skip("no clang++: clang")
    if shutil.which("ld.lld") is None:
        raise Skip("no ld.lld: lld")


def run(world, argv, **more):
    done = subprocess.run([str(a) for a in argv], cwd=world.home, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                          timeout=120 * support.patience, env=world.environment(), **more)
    check(done.returncode == 0, f"{argv}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done.stdout


def silently(world, *arguments):
    result = world.sonde(*arguments)
    equal((result.stdout, result.stderr), ("", ""), f"what {arguments} prints")


def build(world, compiler, flags, objects=(), name="program"):
    """Both halves of own_probes.c, linked with `objects`."""
    language = ["-x", "c++"] if compiler.endswith("++") else []
    halves = []
    for half in ("", "-DMORE"):
        halves.append(world.path(f"{name}{half}.o"))
        run(world, [compiler, *flags.split(), *language, *([half] if half else []), "-I", world.home, "-c", OWN / "own_probes.c", "-o", halves[-1]])
    linker = ["-fuse-ld=lld"] if compiler.startswith("clang") and "-flto" in flags else []
    run(world, [compiler, *flags.split(), *linker, *halves, *objects, "-o", world.path(name)])
    return world.path(name)


def check_notes(path, what, constants, copies=1):
    """One counter a probe, in .probes; each site is the two nops; sizes and signs are those of the types. `copies`: of the counters' bytes."""
    elf = Elf(path)
    notes = list(elf.notes())
    equal({note.name for note in notes}, set(ARGUMENTS), f"{what}: probes")
    address, _, length, _ = elf.sections[".probes"]
    counters = {}
    for note in notes:
        equal(note.provider, "shop", f"{what}: provider of {note.name}")
        wanted = ARGUMENTS[note.name]
        equal(len(note.arguments), len(wanted), f"{what}: {note.name}: {note.arguments}")
        for argument, size in zip(note.arguments, wanted):
            check(argument.split("@")[0] in size.split("|"), f"{what}: {note.name}: {argument}, wanted {size}")
        equal(elf.code(note.pc, 6), NOPS, f"{what}: code at {note.name}")
        check(address <= note.counter < address + length and note.counter % 2 == 0, f"{what}: counter of {note.name}: {note.counter:#x}")
        counters.setdefault(note.name, set()).add(note.counter)
        if note.name == "constants" and constants:
            check(" ".join(note.arguments).startswith(CONSTANTS), f"{what}: {note.arguments}")
    check(all(len(one) == 1 for one in counters.values()), f"{what}: a probe with two counters: {counters}")
    equal(len(set.union(*counters.values())), len(ARGUMENTS), f"{what}: counters")
    equal(length, 2 * len(ARGUMENTS) * copies, f"{what}: size of .probes")
    return notes


@scenario(seconds=600)
def compilers_make_notes_of_the_header(world):
    needs_clang()
    declarations = OWN / "own_probes.d"
    silently(world, "-h", "-s", declarations)
    made = pathlib.Path(world.path("own_probes.h"))
    text = made.read_text()
    silently(world, "-o", made, "-64", "-xnolibs", "-s", declarations, "-h")
    equal(made.read_text(), text, "the header of -o")
    for compiler, flags in BUILDS:
        what = f"{compiler} {flags}"
        alone = build(world, compiler, flags)
        notes = check_notes(alone, what, "-O0" not in flags)
        if compiler.endswith("++") and "-O0" in flags:
            equal(sum(note.name == "in__line" for note in notes), 1, f"{what}: copies of an inline function's probe")
        equal(run(world, [alone]), "0000\n", f"{what}: what is on")
        halves = [world.path("program.o"), world.path("program-DMORE.o")]
        silently(world, "-G", "-S", "-xlazyload", "-s", declarations, *halves, "-o", world.path("own.o"))
        linked = build(world, compiler, flags, [world.path("own.o")], "linked")
        # lld keeps the sections of what it has compiled itself, beside those of other objects; no symbol names the others
        copies = 2 if "clang" in compiler and "-flto" in flags else 1
        equal([(n.name, n.arguments) for n in check_notes(linked, what + " with -G's object", "-O0" not in flags, copies)],
              [(n.name, n.arguments) for n in notes], f"{what}: notes with -G's object")
        equal(run(world, [linked]), "0000\n", f"{what}: what is on, with -G's object")


@scenario()
def a_counter_switches_its_own_probe_on(world):
    silently(world, "-h", "-s", OWN / "own_probes.d")
    for flags in ("-O0", "-O2 -flto"):
        path = build(world, "gcc", f"{C} {flags}")
        counters = {note.name: note.counter for note in Elf(path).notes()}
        for name, on in (("open", "1000\n"), ("texts", "0100\n"), ("floats", "0010\n"), ("most", "0001\n"), ("closed", "0000\n")):
            process = world.start([path, "waits"], stdin=subprocess.PIPE)
            equal(process.stdout.readline(), "ready\n", "the program's first line")
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
            base = min(int(line.split("-")[0], 16) for line in maps.splitlines() if line.endswith(os.path.realpath(path)))
            with open(f"/proc/{process.pid}/mem", "r+b", buffering=0) as memory:
                memory.seek(base + counters[name])
                equal(memory.read(2), b"\0\0", f"the counter of {name}")
                memory.seek(base + counters[name])
                memory.write(b"\1\0")
            out, _ = process.communicate("go\n", timeout=60 * support.patience)
            equal((out, process.returncode), (on, 0), f"what is on with the counter of {name}")


@scenario()
def probes_can_be_left_out(world):
    silently(world, "-h", "-s", OWN / "own_probes.d")
    for compiler, flags in (("gcc", f"{C} -O2"), ("g++", "-std=c++17 -Wall -Wextra -Werror -O2")):
        path = build(world, compiler, flags + " -DSONDE_NO_PROBES -Wno-unused-but-set-variable")
        equal((list(Elf(path).notes()), ".probes" in Elf(path).sections), ([], False), f"{compiler}: what is left")
        equal(subprocess.run([path], stdout=subprocess.PIPE, text=True, check=False, timeout=60 * support.patience).returncode, 255,
              f"{compiler}: an argument's n++ is not evaluated")


SDT = """
#include <sonde/sdt.h>
namespace_begin
static int fire(int n, const char *text) {
  DTRACE_PROBE(shop, none);
  if (DTRACE_PROBE_ENABLED(shop, asked)) DTRACE_PROBE2(shop, asked, n, text);
  STAP_PROBE(shop, stap);
  STAP_PROBE3(shop, stap__three, n, 'a', 1.5);
  DTRACE_PROBE12(shop, twelve, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, n);
  variadic
  return 0;
}
namespace_end
int main(int argc, char **argv) { return fire(argc, argv[0]); }
"""


@scenario()
def sdt_h_has_the_macros_of_systemtap(world):
    needs_clang()
    folder = pathlib.Path(world.path("include")) / "sonde"
    folder.mkdir(parents=True)
    shutil.copy(support.PROGRAMS.parents[1] / "compiler/header/sdt.h", folder)
    program = world.path("sdt")
    for compiler, standard, variadic in (("gcc", "c90", ""), ("gcc", "c11", "STAP_PROBEV(shop, v, n); DTRACE_PROBEV(shop, w);"), ("clang", "c99", ""),
                                         ("g++", "c++98", ""), ("clang++", "c++20", "STAP_PROBEV(shop, v, n, text); DTRACE_PROBEV(shop, w);")):
        plus = compiler.endswith("++")
        text = SDT.replace("namespace_begin", "namespace one { namespace {" if plus else "").replace("namespace_end", "} } using one::fire;" if plus else "")
        source = world.path("sdt.c", text.replace("static", "static" if not plus else "").replace("variadic", variadic))
        for flags in ("-O0", "-O2", "-O2 -DSONDE_NO_PROBES"):
            what = f"{compiler} -std={standard} {flags}"
            run(world, [compiler, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", *flags.split(), "-I", folder.parent,
                        "-x", "c++" if plus else "c", source, "-o", program])
            run(world, [program])
            found = {note.name: note for note in Elf(program).notes()}
            names = {"none", "asked", "stap", "stap__three", "twelve"} | ({"v", "w"} if variadic else set())
            equal(set(found), set() if "NO_PROBES" in flags else names, f"{what}: probes")
            if found:
                equal([a.split("@")[0] for a in found["stap__three"].arguments], ["-4", "-1" if plus else "-4", "8f"], f"{what}: sizes")
                equal(len({note.counter for note in found.values()} - {0}), len(found), f"{what}: counters")
    source = world.path("sdt.c", "#define _SDT_HAS_SEMAPHORES 1\n#include <sonde/sdt.h>\n"
                        "unsigned short shop_own_semaphore __attribute__((section(\".probes\")));\n"
                        "int main(void) { if (shop_own_semaphore) DTRACE_PROBE1(shop, own, 1); return 0; }\n")
    run(world, ["gcc", "-Wall", "-Werror", "-I", folder.parent, source, "-o", program])
    elf = Elf(program)
    equal(([note.counter for note in elf.notes()], elf.sections[".probes"][2]), ([elf.sections[".probes"][0]], 2), "a counter that the program defines")


# makefiles of programs, as they call dtrace: the declarations, the lines, the program
MAKEFILES = {
    "as_cpython": (
        "provider snake {\n    probe line(const char *, const char *, int);\n    probe gc__start(int);\n    probe gc__done(long);\n};\n"
        "#pragma D attributes Evolving/Evolving/Common provider snake provider\n",
        "probes.h: probes.d\n\t$(DTRACE) $(DFLAGS) -o $@ -h -s $<\n\tsed 's/SNAKE_/Snake_/' $@ > $@.tmp\n\tmv $@.tmp $@\n"
        "probes.o: probes.d program.o\n\t$(DTRACE) $(DFLAGS) -o $@ -G -s $< program.o\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include \"probes.h\"\n#ifdef __cplusplus\n}\n#endif\n"
        "int main(int n, char **v) {\n  if (Snake_LINE_ENABLED()) Snake_LINE(v[0], \"f\", n);\n  Snake_GC_START(n);\n  Snake_GC_DONE((long)n);\n  return 0;\n}\n",
        {"line", "gc__start", "gc__done"}),
    "as_postgresql": (
        "/* cpp makes the types plain */\n#define Oid unsigned int\n#define bool unsigned char\n#ifdef MORE\n#define EXTRA probe extra(Oid);\n#else\n"
        "#define EXTRA\n#endif\n\nprovider elephant {\n\n\tprobe query__start(char *);\n\tprobe sort__start(int, bool, Oid, char *);\n\tEXTRA\n"
        "\tprobe checkpoint__done();\n};\n",
        "probes.h: probes.d\n\t$(DTRACE) -C -h -s $< -DMORE -o $@.tmp\n\tsed -e 's/ELEPHANT_/TRACE_ELEPHANT_/g' -e 's/( *char \\*/(const char */g' "
        "-e 's/, *char \\*/, const char */g' $@.tmp >$@\n\trm $@.tmp\n"
        "probes.o: probes.d program.o\n\t$(DTRACE) $(DTRACEFLAGS) -C -G -s $^ -o $@\n",
        "#include \"probes.h\"\nint main(int n, char **v) {\n  TRACE_ELEPHANT_QUERY_START(v[0]);\n  TRACE_ELEPHANT_SORT_START(n, (unsigned char)1, 7U, v[0]);\n"
        "  TRACE_ELEPHANT_EXTRA(1U);\n  if (TRACE_ELEPHANT_CHECKPOINT_DONE_ENABLED()) TRACE_ELEPHANT_CHECKPOINT_DONE();\n  return 0;\n}\n",
        {"query__start", "sort__start", "extra", "checkpoint__done"}),
    "as_tcl": (
        "/*\n * declarations come first\n */\n\ntypedef struct Obj Obj;\n\nprovider feather {\n    probe proc__entry(const char *name, int objc, struct Obj **objv);\n"
        "    probe proc__info(const char *proc, int line,\n\t    const char *class);\n};\n\n"
        "typedef struct ObjType {\n    const char *name;\n    void *freeProc;\n} ObjType;\nstruct Obj {\n    size_t refCount;\n    union {\n\tlong longValue;\n"
        "\tstruct {\n\t    void *ptr1;\n\t    unsigned long ptr2;\n\t} twoPtrValue;\n    } internalRep;\n    const ObjType *typePtr;\n};\n",
        "DTRACE_SRC = probes.d\nDTRACE_SWITCHES = -64\nprobes.h: $(DTRACE_SRC)\n\t$(DTRACE) -h $(DTRACE_SWITCHES) -o $@ -s $(DTRACE_SRC)\n"
        "probes.o: $(DTRACE_SRC) program.o\n\t$(DTRACE) -G $(DTRACE_SWITCHES) -o $@ -s $(DTRACE_SRC) program.o\n",
        "#include \"probes.h\"\n#define PROC_ENTRY(a, b, c) FEATHER_PROC_ENTRY(a, b, c)\nint main(int n, char **v) {\n"
        "  if (FEATHER_PROC_ENTRY_ENABLED()) PROC_ENTRY(v[0], n, v);\n  FEATHER_PROC_INFO(v[0], n, \"class\");\n  return 0;\n}\n",
        {"proc__entry", "proc__info"}),
}


@scenario()
def makefiles_that_call_dtrace_work_unchanged(world):
    """The name of the command is dtrace there."""
    dtrace = pathlib.Path(world.path("dtrace"))
    dtrace.symlink_to(world.binary)
    for name, (declarations, lines, program, probes) in MAKEFILES.items():
        for compiler in ("gcc", "g++"):
            folder = pathlib.Path(world.path(f"{name}-{compiler}"))
            folder.mkdir()
            (folder / "probes.d").write_text(declarations)
            (folder / "program.c").write_text(program)
            (folder / "Makefile").write_text(f"program: program.o probes.o\n\t{compiler} -o $@ program.o probes.o\nprogram.o: program.c probes.h\n"
                                             f"\t{compiler} -Wall -Werror -O2 -x {'c' if compiler == 'gcc' else 'c++'} -c program.c -o $@\n" + lines)
            out = run(world, ["make", "-C", folder, f"DTRACE={dtrace}", "program"])
            commands = [line for line in out.splitlines() if not re.match(r"make|\S*dtrace |sed |mv |rm |gcc |g\+\+ ", line)]
            equal(commands, [], f"{name}: what dtrace printed")
            run(world, [folder / "program"])
            equal({note.name for note in Elf(folder / "program").notes()}, probes, f"{name}: probes")
    missing = world.run([dtrace, "-h", "-s", world.path("nosuch.d")])
    equal((missing.stdout, missing.stderr, missing.status), ("", f"dtrace: failed to open {world.path('nosuch.d')}: No such file or directory\n", 1), "a file that is not there")


@scenario()
def what_cannot_be_made_is_said(world):
    good = world.path("good.d", "provider p { probe a(int); }\n")
    bad = world.path("bad.d", "provider p { probe a(int; };\n")
    for arguments, status, said in (
            (["-h"], 2, "sonde: -h requires one or more scripts\n    -h -s FILE.d writes a header; --help prints the options\n"),
            (["-G"], 2, "sonde: -G requires one or more scripts\n    -G -s FILE.d -o FILE.o OBJECTS\n"),
            (["-h", "-n", "BEGIN"], 1, "sonde: -h: the declarations come from a file: -s FILE.d\n"),
            (["-h", "-s", good, "-p", "1"], 1, "sonde: -h: it traces nothing, so -c and -p have no place\n"),
            (["-h", "-s", good, "-s", good], 1, "sonde: -h: several scripts need -o FILE.h\n"),
            (["-G", "-s", "/dev/null"], 1, "sonde: -G: a script that is not named FILE.d needs -o FILE.o\n"),
            (["-G", "-s", good, "nosuch.o"], 1, "sonde: -G: failed to open nosuch.o: no such file or directory\n"),
            (["-h", "-s", good, "-o", "/nosuch/x.h"], 1, "sonde: failed to open /nosuch/x.h: no such file or directory\n"),
            (["-h", "-s", good, "-o", "/dev/full"], 1, "sonde: failed to write /dev/full: no space left on device\n"),
            (["-h", "-s", bad], 1, f"sonde: failed to compile script {bad}: line 1: syntax error near \";\"\n"
                                   "    provider p { probe a(int; };\n                            ^\n    a ) is missing before it\n")):
        result = world.sonde(*arguments, status=status)
        check(result.stdout == "" and (result.stderr.startswith(said) if status == 2 else result.stderr == said), f"{arguments}: {result.stderr!r}")
    check(not pathlib.Path(world.path("bad.h")).exists() and pathlib.Path("/dev/full").exists(), "no file of what is wrong")
    silently(world, "-G", "-s", good)
    check(pathlib.Path(world.path("good.o")).stat().st_size > 64, "an object, named as the script")
    warned = world.sonde("-h", "-s", world.path("cpp.d", "#define T int\nprovider p { probe a(T); };\n"))
    check("-C runs cpp" in warned.stderr and pathlib.Path(world.path("cpp.h")).exists(), f"a line for cpp: {warned.stderr!r}")


# what own_probes.c passes: each firing, in order. Of floating-point values the bits; of a struct of 4 bytes, them
PASSED = """\
open 0 0 0
small-signed -1 -300 0
small-unsigned 200 60000 0
wide-signed -1 -5000000000 0
wide-unsigned 4000000000 -81985529216486896 0
floats 1065353216 4612811918334230528 0
flags 0 7 0
in-line 1 0 0
constants -5 1099511627776 4612248968380809216
bits 5 -3 0
counted 1 0 0
most 1 2 3
closed 0 0 0
in-line 2 0 0
"""


@scenario(seconds=600)
def sonde_reads_what_the_macros_pass(world):
    needs_clang()
    silently(world, "-h", "-s", OWN / "own_probes.d")
    names = dict.fromkeys(line.split()[0] for line in PASSED.splitlines())
    script = ",".join(f"shop$target:a.out::{name}" for name in names) + ' { printf("%s %d %d %d\\n", probename, (int64_t)arg0, (int64_t)arg1, (int64_t)arg2); }\n'
    script += 'shop$target:a.out::texts { printf("%s %s\\n", copyinstr(arg0), copyinstr(arg1)); }\n'
    for compiler, flags in (("gcc", f"{C} -O0"), ("gcc", f"{C} -O2"), ("clang", f"{C} -O0"), ("clang", f"{C} -O3"), ("g++", "-std=c++98 -O2"), ("clang++", "-std=c++20 -O1 -flto")):
        program = build(world, compiler, flags)
        result = world.sonde("-q", "-s", world.path("shop.d", script), "-o", world.path("traced"), "-c", program)
        lines = pathlib.Path(world.path("traced")).read_text()
        os.remove(world.path("traced"))
        equal(lines.replace("\n\n", "\n").strip("\n").replace("text literal\n", ""), PASSED.strip("\n"), f"{compiler} {flags}: what was traced")
        check("text literal\n" in lines, f"{compiler} {flags}: texts")
        equal(len(result.stdout.strip()), 4, f"{compiler} {flags}: what is on")
