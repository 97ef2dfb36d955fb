/* SPDX-License-Identifier: GPL-2.0 */
/* jit.c: programs as native code; jit_calls.c: the functions that they call. */
#ifndef SONDE_KMOD_JIT_H
#define SONDE_KMOD_JIT_H

#include <linux/types.h>

struct sonde_program;

void sonde_jit_compile(struct sonde_program *program);
void sonde_jit_free(struct sonde_program *program);

u64 sonde_jit_variable(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_time(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_register(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_divide_signed(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_divide(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_modulo_signed(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_modulo(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_load(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_load_kernel(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_predicate_fault(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_take_fault(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_execname(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_text(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_string(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_memory(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_stack(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_kernel_stack(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_caller(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
u64 sonde_jit_depth(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

#endif
