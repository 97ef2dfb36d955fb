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

static const struct {
	const char *name;
	uint32_t max;
} texts[] = {
#define ROW(name, max, meaning) {#name, max},
	SONDE_DIF_TEXTS(ROW)
#undef ROW
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
	return text < SONDE_DIF_TEXT_COUNT ? texts[text].name : NULL;
}

uint32_t sonde_dif_text_max(uint32_t text)
{
	return text < SONDE_DIF_TEXT_COUNT ? texts[text].max : 0;
}
