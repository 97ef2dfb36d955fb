#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a C program with one function for each kind of instruction that a function may begin with.

Each function is pure: its result depends only on its argument, and shows the effect of the first instruction, including flags. It is
entered by a call and by a jump. A timer's handler interrupts the threads all the time, calls some of these functions itself, and returns
in the way that the first argument selects. The program knows how often each function was entered, and how often left by siglongjmp():
it counts in the instruction stream, and the handler corrects the count according to the interrupted pc.

usage of the program: kinds MODE THREADS ROUNDS GENERATIONS
prints the sum of all results, the same in each mode; on stderr `NAME ENTERED LEFT` of each function
"""

import pathlib
import re

# name: (what the function does, what stands before the call or jump that enters it)
RET = "; ret"
KINDS = {
    # emulated
    "nop": ("nop; lea 3(%rdi),%rax" + RET, ""),
    "nop_long": ("nopw 0x10(%rax,%rax,1); lea 4(%rdi),%rax" + RET, ""),
    "endbr64": ("endbr64; lea 5(%rdi),%rax" + RET, ""),
    "push": ("push %rbx; mov %rdi,%rbx; lea 5(%rbx),%rax; pop %rbx" + RET, ""),
    "push_r12": ("push %r12; mov %rdi,%r12; lea 6(%r12),%rax; pop %r12" + RET, ""),
    "push_rsp": ("push %rsp; pop %rax; sub %rsp,%rax; add %rdi,%rax" + RET, ""),
    "pop": ("pop %rcx; lea 7(%rdi),%rax; push %rcx" + RET, ""),
    "mov": ("mov %rdi,%rax" + RET, ""),
    "mov32": ("mov %edi,%eax" + RET, "mov $-1,%rax"),
    "mov_immediate": ("mov $77,%eax; add %rdi,%rax" + RET, "mov $-1,%rax"),
    "mov_negative": ("mov $-77,%rax; add %rdi,%rax" + RET, ""),
    "movabs": ("movabs $0x123456789abcdef,%rax; add %rdi,%rax" + RET, ""),
    "sub_rsp": ("sub $24,%rsp; mov %rdi,(%rsp); mov (%rsp),%rax; add $24,%rsp" + RET, ""),
    "sub_flags": ("sub $500,%rdi; pushfq; pop %rax; and $0x8d5,%eax; add %rdi,%rax" + RET, ""),
    "sub32_flags": ("sub $77,%edi; pushfq; pop %rax; and $0x8d5,%eax; add %rdi,%rax" + RET, "shl $31,%rdi"),
    "xor_self": ("xor %eax,%eax; adc %rdi,%rax" + RET, "mov $-1,%rax; stc"),
    "test_flags": ("test %rdi,%rdi; pushfq; pop %rax; and $0x8c5,%eax; add %rdi,%rax" + RET, ""),
    "test32_flags": ("test %esi,%edi; pushfq; pop %rax; and $0x8c5,%eax; add %rdi,%rax" + RET, "mov $0x80000001,%esi"),
    "lea": ("lea 9(%rdi,%rdi,4),%rax" + RET, ""),
    "lea32": ("lea 9(%rdi,%rdi,8),%eax" + RET, ""),
    "lea_rip": ("lea numbers(%rip),%rax; mov %edi,%ecx; and $7,%ecx; mov (%rax,%rcx,8),%rax" + RET, ""),
    "jmp_short": ("jmp 1f; ud2; 1: lea 11(%rdi),%rax" + RET, ""),
    "jmp_near": ("jmp 1f; .skip 200,0x90; 1: lea 12(%rdi),%rax" + RET, ""),
    "jmp_register": ("jmp *%rsi; ud2; jmp_register_to: lea 13(%rdi),%rax" + RET, "lea jmp_register_to(%rip),%rsi"),
    "jmp_memory": ("jmp *jmp_memory_at(%rip); ud2; jmp_memory_to: lea 14(%rdi),%rax" + RET, ""),
    "jcc": ("jb 1f; lea 15(%rdi),%rax; ret; 1: lea -15(%rdi),%rax" + RET, "cmp $500,%rdi"),
    "jcc_near": ("jnp 1f; lea 16(%rdi),%rax; ret; .skip 200,0x90; 1: lea -16(%rdi),%rax" + RET, "test %rdi,%rdi"),
    "call": ("call helper; add %rdi,%rax" + RET, ""),
    "call_register": ("call *%rsi; add %rdi,%rax" + RET, "lea helper(%rip),%rsi"),
    "call_memory": ("call *helper_at(%rip); add %rdi,%rax" + RET, ""),
    "ret": ("ret", "lea 17(%rdi),%rax"),
    "repz_ret": ("rep ret", "lea 18(%rdi),%rax"),
    # stepped in a slot
    "cmp": ("cmp $5,%rdi; pushfq; pop %rax; and $0x8d5,%eax; add %rdi,%rax" + RET, ""),
    "cmp_stack": ("cmp (%rsp),%rdi; lea 19(%rdi),%rax" + RET, ""),
    "cmp_rip": ("cmp numbers+8(%rip),%rdi; setb %al; movzbl %al,%eax; add %rdi,%rax" + RET, ""),
    "and": ("and $0x3ff,%edi; lea 20(%rdi),%rax" + RET, ""),
    "or": ("or $0x40,%rdi; mov %rdi,%rax" + RET, ""),
    "add": ("add $21,%rdi; mov %rdi,%rax" + RET, ""),
    "adc": ("adc $22,%rdi; mov %rdi,%rax" + RET, "stc"),
    "sbb": ("sbb %rax,%rax; add %rdi,%rax" + RET, "cmp $300,%rdi"),
    "sub_register": ("sub %rsi,%rdi; mov %rdi,%rax" + RET, "mov $23,%esi"),
    "xor": ("xor %rsi,%rdi; mov %rdi,%rax" + RET, "mov $24,%esi"),
    "inc": ("inc %rdi; mov %rdi,%rax" + RET, ""),
    "dec": ("dec %edi; mov %rdi,%rax" + RET, ""),
    "neg": ("neg %rdi; mov %rdi,%rax" + RET, ""),
    "not": ("not %rdi; mov %rdi,%rax" + RET, ""),
    "test_byte": ("test $1,%dil; setz %al; movzbl %al,%eax; add %rdi,%rax" + RET, ""),
    "shl": ("shl $3,%rdi; mov %rdi,%rax" + RET, ""),
    "sar": ("sar %cl,%rdi; mov %rdi,%rax" + RET, "mov $2,%ecx"),
    "ror": ("ror $7,%rdi; mov %rdi,%rax" + RET, ""),
    "shld": ("shld $9,%rsi,%rdi; mov %rdi,%rax" + RET, "mov $-1,%rsi"),
    "imul": ("imul $27,%rdi,%rax" + RET, ""),
    "mul": ("mul %rdi; add %rdx,%rax" + RET, "movabs $0x7fffffffffffffff,%rax"),
    "div": ("div %rcx; add %rdx,%rax" + RET, "lea 100000(%rdi),%rax; xor %edx,%edx; mov $7,%ecx"),
    "cqo": ("cqo; lea (%rdx,%rdi),%rax" + RET, "mov $-5,%rax"),
    "cdqe": ("cltq; add %rdi,%rax" + RET, "mov $0xfffffff0,%eax"),
    "movzx": ("movzbl %dil,%eax" + RET, ""),
    "movsx": ("movsbq %dil,%rax" + RET, ""),
    "cmov": ("cmovb %rsi,%rdi; mov %rdi,%rax" + RET, "mov $28,%esi; cmp $250,%rdi"),
    "setcc": ("setb %al; movzbl %al,%eax; add %rdi,%rax" + RET, "cmp $251,%rdi"),
    "bt": ("bt $4,%rdi; adc $0,%rdi; mov %rdi,%rax" + RET, ""),
    "bsf": ("bsf %rdi,%rax; add %rdi,%rax" + RET, "mov $64,%eax"),
    "bswap": ("bswap %rdi; mov %rdi,%rax" + RET, ""),
    "xchg": ("xchg %rdi,%rax" + RET, ""),
    "xchg_memory": ("xchg %rdi,-8(%rsp); mov -8(%rsp),%rax" + RET, ""),
    "lock_add": ("lock addq $1,-8(%rsp); mov -8(%rsp),%rax" + RET, "lea -16(%rsp),%rcx; mov %rdi,(%rcx); mov %rdi,8(%rcx); mov %rdi,-8(%rcx)"),
    "lock_xadd": ("lock xadd %rdi,(%rsi); mov %rdi,%rax" + RET, "lea -64(%rsp),%rsi; mov %rdi,(%rsi)"),
    "cmpxchg": ("lock cmpxchg %rdi,(%rsi); add (%rsi),%rax" + RET, "lea -64(%rsp),%rsi; mov %rdi,(%rsi); mov %rdi,%rax"),
    "store": ("mov %rdi,-16(%rsp); mov -16(%rsp),%rax" + RET, ""),
    "store_immediate": ("movq $29,-16(%rsp); add -16(%rsp),%rdi; mov %rdi,%rax" + RET, ""),
    "load": ("mov (%rsi),%rax" + RET, "lea -64(%rsp),%rsi; mov %rdi,(%rsi)"),
    "load_rip": ("mov numbers+16(%rip),%rax; add %rdi,%rax" + RET, ""),
    "load_fs": ("mov %fs:0x28,%rax; sub %fs:0x28,%rax; add %rdi,%rax" + RET, ""),
    "add_fs": ("add %fs:0,%rdi; sub %fs:0,%rdi; mov %rdi,%rax" + RET, ""),
    "push_immediate": ("push $30; pop %rax; add %rdi,%rax" + RET, ""),
    "push_memory": ("push (%rsp); pop %rax; cmp (%rsp),%rax; sete %al; movzbl %al,%eax; add %rdi,%rax" + RET, ""),
    "enter": ("enter $16,$0; mov %rdi,-8(%rbp); mov -8(%rbp),%rax; leave" + RET, ""),
    "lahf": ("lahf; and $0xff00,%eax; add %rdi,%rax" + RET, "xor %eax,%eax; cmp $77,%rdi"),
    "cld": ("cld; lea 31(%rdi),%rax" + RET, ""),
    "rdtsc": ("rdtsc; lea 32(%rdi),%rax" + RET, ""),
    "cpuid": ("cpuid; mov %r8,%rbx; lea 33(%rdi),%rax" + RET, "mov %rbx,%r8; xor %eax,%eax; xor %ecx,%ecx"),
    "mfence": ("mfence; lea 34(%rdi),%rax" + RET, ""),
    "pause": ("pause; lea 35(%rdi),%rax" + RET, ""),
    "prefetch": ("prefetcht0 (%rsp); lea 36(%rdi),%rax" + RET, ""),
    "movq_xmm": ("movq %rdi,%xmm0; movq %xmm0,%rax" + RET, ""),
    "movdqa_rip": ("movdqa numbers(%rip),%xmm1; movq %xmm1,%rax; add %rdi,%rax" + RET, ""),
    "movups_store": ("movups %xmm0,-32(%rsp); mov -32(%rsp),%rax" + RET, "movq %rdi,%xmm0"),
    "pxor": ("pxor %xmm0,%xmm0; movq %xmm0,%rax; add %rdi,%rax" + RET, ""),
    "cvtsi2sd": ("cvtsi2sd %rdi,%xmm0; addsd %xmm0,%xmm0; cvttsd2si %xmm0,%rax" + RET, ""),
    "ucomisd": ("ucomisd %xmm0,%xmm1; seta %al; movzbl %al,%eax; add %rdi,%rax" + RET, "cvtsi2sd %rdi,%xmm0; movsd half(%rip),%xmm1"),
    "sqrtsd": ("sqrtsd %xmm0,%xmm0; cvttsd2si %xmm0,%rax" + RET, "cvtsi2sd %rdi,%xmm0"),
    "fild": ("fildll -64(%rsp); fistpll -72(%rsp); mov -72(%rsp),%rax" + RET, "mov %rdi,-64(%rsp); mov %rdi,-56(%rsp); mov %rdi,-72(%rsp)"),
    "rep_stos": ("rep stosb; mov -32(%rdi),%rax; mov %r8,%rdi; add %rdi,%rax" + RET,
                 "mov %rdi,%r8; mov %edi,%eax; mov $40,%ecx; lea -120(%rsp),%rdi"),
    "rep_movs": ("rep movsb; mov -8(%rdi),%rax; add %r8,%rax" + RET, "mov %rdi,%r8; lea numbers(%rip),%rsi; mov $40,%ecx; lea -120(%rsp),%rdi"),
    "repne_scas": ("repne scasb; mov %rcx,%rax; add %r8,%rax" + RET, "mov %rdi,%r8; lea text(%rip),%rdi; mov $'x',%eax; mov $40,%ecx"),
    "repe_cmps": ("repe cmpsb; mov %rcx,%rax; add %r8,%rax" + RET, "mov %rdi,%r8; lea text(%rip),%rdi; lea text2(%rip),%rsi; mov $40,%ecx"),
    "rep_none": ("rep movsb; lea 37(%r8),%rax" + RET, "mov %rdi,%r8; xor %ecx,%ecx"),
    "lods": ("lodsq; add %rdi,%rax" + RET, "lea numbers(%rip),%rsi"),
    # faults: a handler repairs, continues elsewhere, or skips
    "segv": ("mov (%rsi),%rax; add %rdi,%rax" + RET, "mov %fs:forbidden@tpoff,%rsi"),
    "segv_store": ("mov %rdi,(%rsi); mov (%rsi),%rax" + RET, "mov %fs:forbidden@tpoff,%rsi"),
    "segv_string": ("rep stosb; mov -8(%rdi),%al; movzbl %al,%eax; add %r8,%rax" + RET,
                    "mov %rdi,%r8; mov %edi,%eax; mov $24,%ecx; mov %fs:forbidden@tpoff,%rdi; sub $12,%rdi"),
    "fpe": ("div %ecx; ud2", "mov %edi,%eax; xor %edx,%edx; xor %ecx,%ecx"),
    "ill": ("ud2; lea 39(%rdi),%rax" + RET, ""),
}
# Entered only by a jump: their frame is made before. Only by a call: they remove arguments from the stack.
JUMPED = {"leave": ("leave; lea 8(%rdi),%rax" + RET, "push %rbp; mov %rsp,%rbp; sub $32,%rsp")}
CALLED = {"ret_immediate": ("ret $16", "sub $16,%rsp; lea 40(%rdi),%rax")}
ALL = KINDS | JUMPED | CALLED

DATA = """
.section .data.rel,"aw"
.balign 16
numbers: .quad 101, 202, 303, 404, 505, 606, 707, 808
half: .double 250.5
jmp_memory_at: .quad jmp_memory_to
helper_at: .quad helper
text: .ascii "abcdefghijklmnopqrstuvwxyz0123456789abcdefgh"
text2: .ascii "abcdefghijklmnopqrstuvwXyz0123456789abcdefgh"
.text
.globl helper, helper_end
helper: mov $9,%eax; ret
helper_end:
.globl detour
detour: pushfq; cld; push %rbp; mov %rsp,%rbp
 push %rax; push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10; push %r11
 lea -640(%rsp),%rsp; and $-64,%rsp; fxsave (%rsp); call from_handler; fxrstor (%rsp); lea -72(%rbp),%rsp
 pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx; pop %rax
 pop %rbp; popfq; ret $128
"""


def function(name, body):
    return f".globl kind_{name}, kind_{name}_end\n.type kind_{name},@function\nkind_{name}: {body}\nkind_{name}_end: .size kind_{name},.-kind_{name}\n"


def way(index, name, how):
    """Counts, prepares and enters. Between way_NAME_begin and way_NAME_end the entry is counted, but has not happened yet."""
    frame, enter, end = ("sub $8,%rsp; ", "call", "add $8,%rsp; ret") if how == "call" else ("", "jmp", "ud2")
    label = f"{how}_{name}"
    return (f".globl {label}, {label}_begin, {label}_end\n{label}: {frame}incq %fs:entered@tpoff+{8 * index}\n"
            f"{label}_begin: {ALL[name][1]}\n {enter} kind_{name}\n{label}_end: {end}\n")


def rounds_of(name):
    """The size of a string instruction's operand; 0: not a string instruction."""
    return int(re.search(r"mov \$(\d+),%ecx", ALL[name][1]).group(1)) if ALL[name][0].startswith("rep") and "%ecx" in ALL[name][1] and "xor %ecx" not in ALL[name][1] else 0


def main():
    ways = [(i, name, how) for i, name in enumerate(ALL) for how in ("call", "jump")
            if name not in (JUMPED if how == "call" else CALLED)]
    text = DATA + "".join(function(name, body) for name, (body, _) in ALL.items()) + "".join(way(*w) for w in ways)
    print("#define KINDS", len(ALL))
    print('__asm__(' + "\n".join('"' + line.replace('"', '\\"') + '\\n"' for line in text.splitlines()) + ");")
    for i, name, how in ways:
        print(f"extern char {how}_{name}[], {how}_{name}_begin[], {how}_{name}_end[];")
    for name in ALL:
        print(f"extern char kind_{name}[], kind_{name}_end[];")
    print("static const struct { const char *name; char *begin, *end; } kinds[] = {" +
          ",".join(f'{{"{name}", kind_{name}, kind_{name}_end}}' for name in ALL) + "};")
    faults = [name for name in ALL if name.startswith(("segv", "fpe", "ill"))]
    print("static const struct { int kind, faults, repeats; char *enter, *begin, *end; } ways[] = {" +
          ",".join(f"{{{i}, {int(name in faults)}, {rounds_of(name)}, {how}_{name}, {how}_{name}_begin, {how}_{name}_end}}" for i, name, how in ways) + "};")
    print(pathlib.Path(__file__).with_suffix(".c.in").read_text(encoding="utf-8"))


main()
