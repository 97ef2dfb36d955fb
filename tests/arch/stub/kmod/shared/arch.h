/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine whose calls push nothing. See ../../runtime/utrace/arch.h. */
#pragma once

#define SONDE_CFI_REGISTERS 9u
enum { SONDE_CFI_FP = 1, SONDE_CFI_SP = 2, SONDE_CFI_PC = 8 };

#define SONDE_CFI_ENTRY_ROW                                                         \
  {                                                                                 \
    .cfa_register = SONDE_CFI_SP, .return_register = 7, .kinds = { SONDE_CFI_SAME } \
  }
#define SONDE_CFI_FRAME_POINTER_ROW                                               \
  {                                                                               \
    .cfa_register = SONDE_CFI_FP, .cfa_offset = 16, .return_register = 7,         \
    .kinds = {[1] = SONDE_CFI_AT_OFFSET, [7] = SONDE_CFI_AT_OFFSET}, .offsets = { \
      [1] = -16,                                                                  \
      [7] = -8                                                                    \
    }                                                                             \
  }
#define SONDE_CFI_TRAMPOLINE_CODE \
  { 0x01, 0x02, 0x03, 0x04, 0x05 }
#define SONDE_CFI_TRAMPOLINE_ROW                                                     \
  {                                                                                  \
    .cfa_register = SONDE_CFI_SP, .cfa_offset = 16, .return_register = SONDE_CFI_PC, \
    .kinds = {[SONDE_CFI_PC] = SONDE_CFI_AT_OFFSET}, .offsets = {                    \
      [SONDE_CFI_PC] = -8                                                            \
    }                                                                                \
  }
