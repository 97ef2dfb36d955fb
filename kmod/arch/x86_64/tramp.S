/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trampolines of the hooks. The ftrace handler sets the instruction pointer to
 * one of them, as if the caller had called it: the return address is at the top
 * of the stack.
 *
 * Each saves the argument registers, calls its C part in the thread's own
 * context, and continues at the address that this returns, by push and return:
 * an indirect jump to an address without endbr64 would fault on CPUs with
 * kernel IBT. No frame of the module is left on the stack while the original
 * function sleeps.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>

#include "kmod/arch/x86_64/compat_tramp.h"
#include "kmod/compat_direct.h"

.macro EMIT_TRAMPOLINE name
SYM_FUNC_START(sonde_tramp_\name)
	ENDBR			/* their addresses are in a table */
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%r8
	push	%r9
	sub	$8, %rsp
	mov	%rsp, %rdi
	call	sonde_hook_\name
	mov	%rax, %r11
	pop	%rax
	pop	%r9
	pop	%r8
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	test	%r11, %r11
	jz	.Lreturn_\name
	push	%r11
	UNWIND_HINT_FUNC
.Lreturn_\name:
	RET
SYM_FUNC_END(sonde_tramp_\name)
.endm

	.text
#define TRAMPOLINE(name) EMIT_TRAMPOLINE name
#include "kmod/core/trampolines.h"

SYM_FUNC_START(sonde_call_body)
	mov	%rdi, %rax
	mov	%rsi, %rdi
	push	%rax
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(sonde_call_body)

/* sonde_call_body_of(body, args): the same, with four of the saved arguments. */
SYM_FUNC_START(sonde_call_body_of)
	mov	%rdi, %rax
	mov	%rsi, %r11
	mov	48(%r11), %rdi
	mov	40(%r11), %rsi
	mov	32(%r11), %rdx
	mov	24(%r11), %rcx
	push	%rax
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(sonde_call_body_of)

#ifdef SONDE_DIRECT_CALLS
/*
 * Called by the hooked function itself, at its start: an ftrace direct call.
 * For a task that no session traces it returns at once; that is its whole cost.
 * The sign bit is SONDE_MARK: it is set in the thread_info of a traced task,
 * and in sonde_syscall_everyone while a session traces every task.
 */
.macro SYSCALL_TRAMPOLINE name
SYM_FUNC_START(sonde_tramp_\name)
	ENDBR
	mov	SONDE_CURRENT, %rax
	mov	SONDE_TASK_SYSCALL_WORK(%rax), %rax
	or	sonde_syscall_everyone(%rip), %rax
	js	.Ltraced_\name
	RET
.Ltraced_\name:
	push	%rdi
	push	%rsi
	call	sonde_\name
	pop	%rsi
	pop	%rdi
	RET
SYM_FUNC_END(sonde_tramp_\name)
.endm

SYSCALL_TRAMPOLINE syscall_by_name
SYSCALL_TRAMPOLINE syscall_of_all
SYSCALL_TRAMPOLINE syscall_of_compat
#endif

/*
 * Thunks for calls of kernel functions by address: see hook_thunk_to() in
 * hooks.c.
 */
#define THUNKS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, \
	19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

.macro THUNK index
SYM_FUNC_START(sonde_thunk_\index)
	ENDBR
	push	sonde_thunk_targets + 8 * \index(%rip)
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(sonde_thunk_\index)
.endm

.irp index, THUNKS
THUNK \index
.endr

	.section .rodata
SYM_DATA_START(sonde_thunks)
.irp index, THUNKS
	.quad	sonde_thunk_\index
.endr
SYM_DATA_END(sonde_thunks)

	.section .note.GNU-stack, "", @progbits
