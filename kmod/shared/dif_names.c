// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* DIF's tables as data, for messages and disassemblers. */
#include "kmod/shared/dif.h"

static const char *const op_names[] = {
#define ROW(name, operands, meaning) #name,
	SONDE_DIF_OPS(ROW)
#undef ROW
};

static const char *const op_operands[] = {
#define ROW(name, operands, meaning) operands,
	SONDE_DIF_OPS(ROW)
#undef ROW
};

static const char *const variable_names[] = {
#define ROW(name, meaning) #name,
	SONDE_DIF_VARIABLES(ROW)
#undef ROW
};

static const char *const text_names[] = {
#define ROW(name, meaning) #name,
	SONDE_DIF_TEXTS(ROW)
#undef ROW
};

/* With the NUL. The kernel makes paths of at most 4096 bytes. */
static const uint16_t text_max[SONDE_DIF_TEXT_COUNT] = {
	[SONDE_DIF_TEXT_EXECNAME] = 16,
	[SONDE_DIF_TEXT_PSARGS] = 81,
	[SONDE_DIF_TEXT_CWD] = 4096,
	[SONDE_DIF_TEXT_ROOT] = 4096,
	[SONDE_DIF_TEXT_FDPATH] = 4096,
	[SONDE_DIF_TEXT_FDFS] = 64,
	[SONDE_DIF_TEXT_FDMOUNT] = 4096,
	[SONDE_DIF_TEXT_EXEPATH] = 4096,
	[SONDE_DIF_TEXT_SYSCALL_ARGS] = 1024,
	[SONDE_DIF_TEXT_PROBE_TEXT] = 4096,
	[SONDE_DIF_TEXT_FDPOS] = 24,
	[SONDE_DIF_TEXT_FDFLAGS] = 24,
	[SONDE_DIF_TEXT_COMM] = 16,
};

const char *sonde_dif_op_name(uint32_t op)
{
	return op < SONDE_DIF_OP_COUNT ? op_names[op] : NULL;
}

const char *sonde_dif_op_operands(uint32_t op)
{
	return op < SONDE_DIF_OP_COUNT ? op_operands[op] : NULL;
}

const char *sonde_dif_variable_name(uint32_t variable)
{
	return variable < SONDE_DIF_VAR_COUNT ? variable_names[variable] : NULL;
}

const char *sonde_dif_text_name(uint32_t text)
{
	return text < SONDE_DIF_TEXT_COUNT ? text_names[text] : NULL;
}

uint32_t sonde_dif_text_max(uint32_t text)
{
	return text < SONDE_DIF_TEXT_COUNT ? text_max[text] : 0;
}
