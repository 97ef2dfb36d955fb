# SPDX-License-Identifier: GPL-3.0-or-later
"""random_code.py [SEED]: prints a C program of random functions, rf0 to rf11. It calls each on known registers and
memory, and prints what each has made of them. Where an instruction leaves flags undefined, the next ones set them."""

import random
import sys

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 1
COUNT, LENGTH = 12, 24
CHOOSE = random.Random(SEED)
NAMED = ["rax", "rcx", "rdx", "rbx", "rsi", "rdi"]
R64 = NAMED + [f"r{i}" for i in range(8, 15)]
OF_WIDTH = {
    "q": {r: r for r in R64},
    "l": {r: "e" + r[1:] for r in NAMED} | {f"r{i}": f"r{i}d" for i in range(8, 15)},
    "w": {r: r[1:] for r in NAMED} | {f"r{i}": f"r{i}w" for i in range(8, 15)},
    "b": {"rax": "al", "rcx": "cl", "rdx": "dl", "rbx": "bl", "rsi": "sil", "rdi": "dil"} | {f"r{i}": f"r{i}b" for i in range(8, 15)},
}
HIGH = ["ah", "bh", "ch", "dh"]
CONDITIONS = "o no b ae e ne be a s ns p np l ge le g".split()
LABELS = iter(range(1 << 30))


def pick(words):
    return CHOOSE.choice(words.split() if isinstance(words, str) else words)


def reg(width="q", name=None):
    return "%" + OF_WIDTH[width][name or pick(R64)]


def immediate(width):
    bits = {"b": 7, "w": min(pick([8, 8, 31]), 15)}.get(width) or pick([8, 8, 31])
    half = 1 << (bits - 1)
    return f"${pick([0, 1, -1, CHOOSE.randrange(-half, half), half - 1, -half])}"


def memory():
    return pick([
        f"buf+{CHOOSE.randrange(256)}(%rip)", f"{CHOOSE.randrange(256)}(%r15)", f"-{CHOOSE.randrange(16, 120)}(%rsp)",
        f"%fs:tls@tpoff+{CHOOSE.randrange(8) * 8}", f"{CHOOSE.randrange(64)}(%r15,%rbp,{pick([1, 2, 4, 8])})"])


def label():
    return f".Lrandom{next(LABELS)}"


def two_operands():
    w = pick("q q l l w b")
    both = "add sub cmp xor and or adc sbb test mov"
    return pick([
        f"{pick(both)}{w} {reg(w)},{reg(w)}", f"{pick(both)}{w} {immediate(w)},{reg(w)}",
        f"{pick('add sub cmp xor and or adc sbb test mov')}{w} {reg(w)},{memory()}",
        f"{pick('add sub cmp xor and or adc sbb mov')}{w} {memory()},{reg(w)}",
        f"{pick('cmp test')}{w} {immediate(w)},{memory()}"])


def extending():
    of = pick("bl bq wl wq")
    kind, to = pick("movz movs"), of[1]
    source = pick([reg(of[0]), memory()])
    return pick([f"{kind}{of} {source},{reg(to)}", f"movslq {pick([reg('l'), memory()])},{reg()}"])


def jump():
    to = label()
    return [f"j{pick(CONDITIONS)} {to}", f"incl {memory()}", f"{to}:"]


def call():
    to, end = label(), label()
    return pick([
        [f"call {to}", f"jmp {end}", f"{to}: addl $3,{memory()}", pick(["ret", "repz ret"]), f"{end}:"],
        [f"lea {to}(%rip),%rax", "call *%rax", f"jmp {end}", f"{to}: nopw 0x0(%rax,%rax,1)", "bnd ret", f"{end}:"],
        [f"lea {to}(%rip),%r14", "mov %r14,buf+512(%rip)",
         pick(["jmp *buf+512(%rip)", "jmp *512(%r15)", "notrack jmp *%r14", "bnd jmp *%r14"]), "ud2", f"{to}: endbr64"],
        [f"lea {to}(%rip),%r13", "mov %r13,buf+520(%rip)", "push $77", "call *buf+520(%rip)", f"jmp {end}",
         f"{to}: mov 8(%rsp),%rcx", "ret $8", f"{end}:"]])


def stack():
    return pick([
        [f"push {reg()}", f"pop {reg()}"], ["push %rsp", "pop %rax", "sub %rsp,%rax"], [f"pushw {reg('w')}", f"popw {reg('w')}"],
        [f"push ${CHOOSE.randrange(-9999999, 9999999)}", f"pop {CHOOSE.randrange(64)}(%r15)"],
        [f"push {CHOOSE.randrange(64)}(%r15)", "add $8,%rsp"],
        ["push %rbp", "mov %rsp,%rbp", f"sub ${pick([16, 128, 4032])},%rsp", "leave"], ["enter $32,$0", "leave"]])


def strings():
    return ["lea buf(%rip),%rdi", "lea buf+128(%rip),%rsi", f"mov ${CHOOSE.randrange(30)},%ecx",
            pick(["rep movsb", "rep movsl", "rep stosb", "rep stosl", "repe cmpsb", "repne scasb", "repe scasl"])]


def vectors():
    at = CHOOSE.randrange
    return pick([
        [f"movdqu {at(64)}(%r15),%xmm{at(8)}", f"paddd %xmm{at(8)},%xmm{at(8)}", f"movdqu %xmm{at(8)},buf+{at(64)}(%rip)"],
        [f"movups buf+{at(64)}(%rip),%xmm{at(16)}", f"movdqu %xmm{at(8)},{at(64)}(%r15)"],
        [f"fildl buf+{at(64)}(%rip)", f"fistpll buf+{at(64)}(%rip)"]])


def others():
    w = pick("q q l l w b")
    return pick([
        [f"xor{w} {reg(w, r)},{reg(w, r)}" for r in [pick(R64)]],
        [f"lea{a} {CHOOSE.randrange(-500, 500)}(%{pick(R64)},%{pick(R64)},{pick([1, 2, 4, 8])}),{reg(a)}" for a in [pick("q l w")]],
        [f"lea{a} buf+{CHOOSE.randrange(99)}(%rip),{reg(a)}" for a in [pick("q l w")]],
        [f"set{pick(CONDITIONS)} {reg('b')}"], [f"cmov{pick(CONDITIONS)}{a} {reg(a)},{reg(a)}" for a in [pick("q l w")]],
        [f"{pick('shl shr sar rol ror rcl rcr')}{w} $1,{reg(w)}"], [f"{pick('neg not inc dec')}{w} {reg(w)}"],
        [f"xchg {reg()},{reg()}"], [f"lock xadd{w} {reg(w)},{memory()}"], [f"lock cmpxchg{w} {reg(w)},{memory()}"],
        [f"popcnt {reg()},{reg()}", "test %rax,%rax"], [pick("cmc stc clc sahf lahf cqto cltq cwtl cltd")],
        [f"imul ${CHOOSE.randrange(-99, 99)},{reg()},{reg()}", "test %rcx,%rcx"],
        [pick(["nop", "xchg %ax,%ax", "nopl 0x12345678(%rax)", "cs nopw 0x0(%rax,%rax,1)", "pause", "endbr64"])],
        [f"movabs ${CHOOSE.randrange(-(1 << 63), 1 << 63)},{reg()}", f"movq ${CHOOSE.randrange(-(1 << 31), 1 << 31)},{reg()}"],
        [f"mov %{pick(HIGH)},%{pick(HIGH)}", f"add $5,%{pick(HIGH)}", f"cmp %{pick(HIGH)},%{pick(HIGH)}", f"bswap {reg()}"],
        [f"bt{pick(['', 's', 'r', 'c'])}q ${CHOOSE.randrange(64)},{reg()}", "test %rdx,%rdx"]])


def instructions():
    kind = pick([two_operands, two_operands, two_operands, extending, jump, call, stack, strings, vectors, others, others])
    made = kind()
    made = [made] if isinstance(made, str) else made
    if CHOOSE.random() < 0.3:
        made = [*made, "lahf"]
    if CHOOSE.random() < 0.2:
        made = [*made, "seto %al"]
    return made


def function(number):
    lines = [line for _ in range(LENGTH) for line in instructions()]
    if CHOOSE.random() < 0.3:
        lines = ["push %rbp", *lines, "pop %rbp"]
    return [f".globl rf{number}", f".type rf{number},@function", f"rf{number}:", *lines, "ret", f".size rf{number},.-rf{number}"]


ASSEMBLY = ['.section .tbss,\\"awT\\",@nobits', ".balign 16", "tls: .zero 128", ".data", ".balign 64", ".globl buf", "buf: .zero 1024",
            ".globl functions", "functions:", *(f".quad rf{i}" for i in range(COUNT)), ".quad 0", ".text",
            *(line for i in range(COUNT) for line in function(i)),
            ".globl call_with_registers", "call_with_registers:",
            "push %rbx", "push %rbp", "push %r12", "push %r13", "push %r14", "push %r15", "mov %rsp,stack_before(%rip)",
            "mov %rdi,%rax", "lea buf(%rip),%r15", "mov $3,%ebp", "lea registers(%rip),%r11",
            *(f"mov {8 * i}(%r11),%{r}" for i, r in enumerate(["rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10"])),
            "mov $1,%r12", "mov $-2,%r13", "mov $7,%r14", "xor %r11d,%r11d", "cld", "call *%rax", "cld",
            "mov %r11,buf+700(%rip)", "lea registers(%rip),%r11",
            *(f"mov %{r},{8 * i}(%r11)"
              for i, r in enumerate(["rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "rax", "r12", "r13", "r14"])),
            "mov %rsp,%rax", "sub stack_before(%rip),%rax", "mov %rax,96(%r11)",
            "pop %r15", "pop %r14", "pop %r13", "pop %r12", "pop %rbp", "pop %rbx", "ret"]

MAIN = """
#include <stdint.h>
#include <stdio.h>

extern void (*functions[])(void);
extern unsigned char buf[1024];
extern void call_with_registers(void (*function)(void));
uint64_t registers[16], stack_before;

// Addresses differ from run to run.
static int is_address(uint64_t value) {
  const uint64_t low = (uint64_t)functions - (1 << 24);
  return value - low < (1 << 25);
}

static uint64_t mix(uint64_t hash, unsigned char byte) { return (hash ^ byte) * 1099511628211u; }

__attribute__((noinline)) static void clear_stack(void) {
  volatile char bytes[8192];
  for (int i = 0; i < 8192; i++) bytes[i] = 0;
}

int main(void) {
  for (int i = 0; functions[i] != NULL; i++) {
    uint64_t hash = 14695981039346656037u;
    for (int k = 0; k < 1024; k++) buf[k] = (unsigned char)(k * 37 + i);
    for (int k = 0; k < 16; k++) registers[k] = (uint64_t)(k + 1) * 0x9e3779b97f4a7c15u + (uint64_t)i;
    clear_stack();
    call_with_registers(functions[i]);
    for (int k = 0; k < 12; k++)
      for (int b = 0; b < 64 && !is_address(registers[k]); b += 8) hash = mix(hash, (unsigned char)(registers[k] >> b));
    for (int k = 0; k < 512; k++) hash = mix(hash, buf[k]);
    printf("rf%d %016lx%s\\n", i, hash, registers[12] != 0 ? " and its stack is off" : "");
  }
  return 0;
}
""".replace("\\\\", "\\")

print("\n".join(["__asm__(", *(f'  "{line}\\n"' for line in ASSEMBLY), ");", MAIN]))
