// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Where programs keep what they know: on their stack, and in the first page of the ring that they hold
//
//   the stack, below the frame pointer           the first page of a ring
//     -128 .. 0      DIF's registers               0 ..         struct sonde_ring
//     kLowest ..     of the firing                 kLocals ..   locals, fault, bytes in use: of the holder
//
// What a path may change differently from another lies in the ring's page, because the verifier follows every value on
// the stack: it would look at each program once for each combination of captures that fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kmod/shared/lower.h"

namespace sonde::bpf {

// Of the stack.
enum Frame : int16_t {
  kContext = -(static_cast<int16_t>(SONDE_LOWER_STACK) + 8),  ///< the tracepoint's arguments
  kRow = kContext - 8,                                        ///< the probe's row of the table: struct TableRow
  kPidTgid = kRow - 8,                                        ///< process above, thread below
  kKey = kPidTgid - 8,                                        ///< a u32, for look-ups
  kTime = kKey - 8,                                           ///< of the firing; known once a ring is held
  kTask = kTime - 8,                                          ///< the thread's task_struct
  kNumber = kTask - 8,                                        ///< of the system call; -1: the thread is in none
  kRingBytes = kNumber - 8,                                   ///< of the ring that is held: a constant to the verifier
  kPlace = kRingBytes - 8,  ///< where in the ring the record begins; kRingBytes: it does not fit
  kCpu = kPlace - 8,
  kThread = kCpu - 8,         ///< the thread's variables; 0: not looked up, or it has none
  kRegisters = kThread - 8,   ///< the thread's struct pt_regs
  kValue = kRegisters - 8,    ///< for helpers that write a word
  kFoldBytes = kValue - 8,    ///< of a table of the ring that is held (fold_tables.h): a constant to the verifier
  kFoldId = kFoldBytes - 8,   ///< epid below, probe above
  kFoldThread = kFoldId - 8,  ///< thread below, process above; 0: not in the key
  kText = kFoldThread - 8,    ///< the address of the event's text
  kArguments = kText - 8 * static_cast<int16_t>(SONDE_DIF_ARGS),  ///< of events that are no system calls
  kBuffer = kArguments - 48,  ///< while the arguments or a path are made: a siginfo, a key
  kLowest = kBuffer,
};

// Of the ring's first page.
inline constexpr int16_t kHead = offsetof(sonde_ring, head);
inline constexpr int16_t kLowWater = offsetof(sonde_ring, low_water);
inline constexpr int16_t kDrops = offsetof(sonde_ring, drops);
inline constexpr int16_t kTail = offsetof(sonde_ring, tail);
inline constexpr int16_t kCachedTail = offsetof(sonde_ring, reserved1);  ///< the tail when it was last read
inline constexpr int16_t kLastTime = kCachedTail + 8;                    ///< of the last firing
inline constexpr int16_t kSequence = kLastTime + 8;                      ///< number of the last firing
inline constexpr int16_t kWokenAt = kSequence + 8;                       ///< the tail when the reader was last woken
inline constexpr int16_t kLocals = SONDE_RING_DATA - 512;
inline constexpr int16_t kUsed = kLocals + 8 * SONDE_DIF_LOCALS;  ///< bytes of the record, a u32
inline constexpr int16_t kFaults = kUsed + 8;                     ///< slots that could not be captured
inline constexpr int16_t kFaulted = kFaults + 8;  ///< a u32: a load failed, and no capture has taken that over
inline constexpr int16_t kFaultAddress = kFaulted + 8;
inline constexpr int16_t kGeneration = kFaultAddress + 8;  ///< a u32, the reader's: which of two tables is filled
inline constexpr int16_t kLength = kGeneration + 8;        ///< of the text that is being captured
static_assert(kLowest >= -512);
inline constexpr int16_t kLevel = kLength + 8;     ///< a u32: which of its CPU's rings it is
inline constexpr int16_t kChainTime = kLevel + 8;  ///< of the firing, from one part of a chain to the next
// Of the stack that is being copied.
inline constexpr int16_t kStackSlot = kChainTime + 8;   ///< where its span begins, a u32
inline constexpr int16_t kStackPiece = kStackSlot + 4;  ///< bytes of the piece that is read now, a u32
inline constexpr int16_t kStackLeft = kStackPiece + 4;  ///< bytes that are still wanted, a u32
inline constexpr int16_t kStackAt = kStackLeft + 8;     ///< the address of the next piece
inline constexpr int16_t kUrgent = kStackAt + 8;  ///< a u32: the reader is to be woken when the ring is given back
static_assert(offsetof(sonde_ring, tail) - offsetof(sonde_ring, reserved1) == 32);
static_assert(kUrgent + 4 <= SONDE_RING_DATA && kLocals > static_cast<int>(sizeof(sonde_ring)));

/// A ring has as many bytes behind its data: where a record is put together that does not fit, and where the verifier
/// may believe that one ends which begins at the last byte.
inline constexpr uint32_t kScratchBytes = 128u << 10;

/// What a table says of a probe: its number, then an epid for each column of its section. 0: not traced.
struct TableRow {
  uint32_t probe;
  uint32_t epids[];
};

}  // namespace sonde::bpf
