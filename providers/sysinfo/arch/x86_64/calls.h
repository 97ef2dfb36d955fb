// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of 64-bit and of 32-bit code, by their numbers
//
// The texts are D, over the arguments of the tracepoint sys_enter: registers, number. At sys_exit the number is kept in
// the registers.
#pragma once

/// The thread's call was made by 32-bit code, which has other numbers: TS_COMPAT.
#define SONDE_CALL_BY(native, compat) "((curthread->thread_info.status & 2) == 0 ? (" native ") : (" compat "))"

#define SONDE_NUMBER_AT_ENTRY "arg1"
#define SONDE_NUMBER_AT_RETURN "((struct pt_regs *)arg0)->orig_ax"

/// read, pread64, readv, preadv, preadv2
#define SONDE_IS_READ(number)                                                                                     \
  SONDE_CALL_BY(number " == 0 || " number " == 17 || " number " == 19 || " number " == 295 || " number " == 327", \
                number " == 3 || " number " == 180 || " number " == 145 || " number " == 333 || " number " == 378")
/// write, pwrite64, writev, pwritev, pwritev2
#define SONDE_IS_WRITE(number)                                                                                    \
  SONDE_CALL_BY(number " == 1 || " number " == 18 || " number " == 20 || " number " == 296 || " number " == 328", \
                number " == 4 || " number " == 181 || " number " == 146 || " number " == 334 || " number " == 379")
/// execve, execveat
#define SONDE_IS_EXEC SONDE_CALL_BY("arg1 == 59 || arg1 == 322", "arg1 == 11 || arg1 == 358")
#define SONDE_IS_YIELD SONDE_CALL_BY("arg1 == 24", "arg1 == 158")

/// The old call for all of System V's, whose first argument says which: by 32-bit code only.
#define SONDE_IS_IPC(which) "(arg1 == 117 && (((struct pt_regs *)arg0)->bx & 0xffff) == " #which ")"
/// msgsnd, msgrcv
#define SONDE_IS_MESSAGE \
  SONDE_CALL_BY("arg1 == 69 || arg1 == 70", "arg1 == 400 || arg1 == 401 || " SONDE_IS_IPC(11) " || " SONDE_IS_IPC(12))
/// semop, semtimedop
#define SONDE_IS_SEMAPHORE \
  SONDE_CALL_BY("arg1 == 65 || arg1 == 220", "arg1 == 420 || " SONDE_IS_IPC(1) " || " SONDE_IS_IPC(4))
