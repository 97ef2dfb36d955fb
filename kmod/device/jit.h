/* SPDX-License-Identifier: GPL-2.0 */
/* jit.c: programs as native code; jit_calls.c: the functions that they call. */
#ifndef SONDE_KMOD_JIT_H
#define SONDE_KMOD_JIT_H

#include <linux/types.h>

struct sonde_program;

void sonde_jit_compile(struct sonde_program *program);
void sonde_jit_free(struct sonde_program *program);

/* jit_calls.c: with the five arguments that BPF passes */
typedef u64 sonde_jit_helper(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

sonde_jit_helper sonde_jit_variable, sonde_jit_time, sonde_jit_register;
sonde_jit_helper sonde_jit_descends;
sonde_jit_helper sonde_jit_divide_signed, sonde_jit_divide;
sonde_jit_helper sonde_jit_modulo_signed, sonde_jit_modulo;
sonde_jit_helper sonde_jit_load, sonde_jit_load_kernel;
sonde_jit_helper sonde_jit_predicate_fault, sonde_jit_take_fault;
sonde_jit_helper sonde_jit_execname, sonde_jit_text, sonde_jit_string;
sonde_jit_helper sonde_jit_memory, sonde_jit_stack, sonde_jit_kernel_stack;
sonde_jit_helper sonde_jit_caller, sonde_jit_depth;

#endif
