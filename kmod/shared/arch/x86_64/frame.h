/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* x86-64: registers by DWARF number, and where the caller's are if no table has them */
#ifndef SONDE_X86_64_FRAME_H
#define SONDE_X86_64_FRAME_H

#define SONDE_CFI_REGISTERS 17u /* those with lower numbers are followed */

enum { SONDE_CFI_FP = 6, SONDE_CFI_SP = 7, SONDE_CFI_PC = 16 };

/* Rows, as initializers. At the first instruction of a function: the call has pushed the return address. */
#define SONDE_CFI_ENTRY_ROW                                                                           \
	{                                                                                             \
		.cfa_register = SONDE_CFI_SP, .cfa_offset = 8, .return_register = SONDE_CFI_PC,       \
		.kinds = { [SONDE_CFI_PC] = SONDE_CFI_AT_OFFSET }, .offsets = { [SONDE_CFI_PC] = -8 } \
	}

/* After `push %rbp; mov %rsp, %rbp`. */
#define SONDE_CFI_FRAME_POINTER_ROW                                                                        \
	{                                                                                                  \
		.cfa_register = SONDE_CFI_FP, .cfa_offset = 16, .return_register = SONDE_CFI_PC,           \
		.kinds = { [SONDE_CFI_FP] = SONDE_CFI_AT_OFFSET, [SONDE_CFI_PC] = SONDE_CFI_AT_OFFSET },   \
		.offsets = { [SONDE_CFI_FP] = -16, [SONDE_CFI_PC] = -8 }                                   \
	}

/*
 * CPython's perf trampoline: `sub $8, %rsp` before its call, `add $8, %rsp; ret` behind it. It is compiled at run time
 * and has no table, and leaves %rbp to its caller.
 */
#define SONDE_CFI_TRAMPOLINE_CODE { 0x48, 0x83, 0xc4, 0x08, 0xc3 }
#define SONDE_CFI_TRAMPOLINE_ROW                                                                      \
	{                                                                                             \
		.cfa_register = SONDE_CFI_SP, .cfa_offset = 16, .return_register = SONDE_CFI_PC,      \
		.kinds = { [SONDE_CFI_PC] = SONDE_CFI_AT_OFFSET }, .offsets = { [SONDE_CFI_PC] = -8 } \
	}

#endif
