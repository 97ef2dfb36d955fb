// SPDX-License-Identifier: GPL-3.0-or-later
// plockstat's probes: which function of glibc fires each, under which condition, and what its arguments are
//
// The texts are D. At a function's entry arg0 and arg1 are its parameters, at its return arg1 is its result. What the
// entry knows, a clause before the script's remembers in self->: the lock, whether it was taken, and the stack pointer,
// by which the return is known again.
//
// The words of a lock are those of glibc on x86-64, which are a part of its ABI: programs have them in their data.
//
//   pthread_mutex_t    0 lock   4 count   8 owner   12 users   16 kind
//   pthread_rwlock_t   0 readers, with bits for writers   24 the writer's thread
#pragma once

#include <string_view>

#include "providers/translation.h"

namespace sonde::plockstat {

#define SONDE_WORD(lock, at) "(*(uint32_t *)copyin(" lock " + " #at ", 4))"

// ---- mutexes ---------------------------------------------------------------------------------------------------

#define SONDE_KIND(lock, bits) "(" SONDE_WORD(lock, 16) " & " #bits ")"
/// Recursive, and taken once more than it was. Not &&: arguments are computed without branches.
#define SONDE_RECURSIVE(lock) "((" SONDE_KIND(lock, 3) " == 1) & (" SONDE_WORD(lock, 4) " > 1))"
/// Kinds that ask who has the mutex: recursive and errorcheck; and, for unlocking, robust and priority-inheriting ones.
#define SONDE_ASKS_OWNER(lock) "(" SONDE_KIND(lock, 3) " == 1 || " SONDE_KIND(lock, 3) " == 2)"
#define SONDE_OWN(lock) SONDE_WORD(lock, 8) " == tid"
/// Another thread has it, so that the call will wait. The lock's word has a thread's number or 1 or 2, and bits for those
/// that wait; of a mutex with a priority ceiling (bit 64 of its kind) the ceiling, too.
#define SONDE_TAKEN(lock)                                                                            \
  "((" SONDE_KIND(lock, 64) " == 0 && (" SONDE_WORD(lock, 0) " & 0x3fffffff) != 0) || (" SONDE_KIND( \
      lock,                                                                                          \
      64) " != 0 && (" SONDE_WORD(lock,                                                              \
                                  0) " & 0x7ffff) != 0)) && !(" SONDE_ASKS_OWNER(lock) " && " SONDE_OWN(lock) ")"
/// The thread that unlocks may do so.
#define SONDE_MAY_UNLOCK(lock) \
  "!((" SONDE_ASKS_OWNER(lock) " || " SONDE_KIND(lock, 48) " != 0) && " SONDE_WORD(lock, 8) " != tid)"

/// This is the return of the call that the entry has remembered. Functions may end with the same code, so it has a number.
#define SONDE_SAME_CALL "self->__plockstat_call == %N && self->__plockstat_sp == uregs[R_SP]"
/// 130 is EOWNERDEAD: the thread has the mutex now, and its last owner has died with it.
#define SONDE_GOT "((int)arg1 == 0 || (int)arg1 == 130)"
#define SONDE_SAME_WAIT "self->__plockstat_ccall == %N && self->__plockstat_csp == uregs[R_SP]"
#define SONDE_LOCK "self->__plockstat_lock"

// ---- read-write locks ------------------------------------------------------------------------------------------

#define SONDE_WRITER SONDE_WORD("arg0", 24)
/// Another thread has it for writing. A thread that has it itself gets EDEADLK.
#define SONDE_WRITTEN "(" SONDE_WORD("arg0", 0) " & 3) == 3 && " SONDE_WRITER " != tid"
/// Readers have it, or another thread has it for writing or is about to.
#define SONDE_READ "((" SONDE_WORD("arg0", 0) " & 1) == 0 && (" SONDE_WORD("arg0", 0) " >> 3) != 0)"
#define SONDE_USED "((" SONDE_WORD("arg0", 0) " & 2) != 0 || " SONDE_READ ") && " SONDE_WRITER " != tid"

// ---- what the entry remembers ----------------------------------------------------------------------------------

#define SONDE_AT_ENTRY "%P:%M:%F:entry "
#define SONDE_REMEMBERS \
  SONDE_AT_ENTRY        \
  "{ " SONDE_LOCK       \
  " = arg0; self->__plockstat_sp = uregs[R_SP]; self->__plockstat_call = %N; self->__plockstat_waits = 0; }\n"
#define SONDE_REMEMBERS_IF(taken) SONDE_REMEMBERS SONDE_AT_ENTRY "/" taken "/ { self->__plockstat_waits = 1; }\n"

inline constexpr char kNothing[] = "";
inline constexpr char kRemembers[] = SONDE_REMEMBERS;
inline constexpr char kMutexWaits[] = SONDE_REMEMBERS_IF(SONDE_TAKEN("arg0"));
inline constexpr char kReaderWaits[] = SONDE_REMEMBERS_IF(SONDE_WRITTEN);
inline constexpr char kWriterWaits[] = SONDE_REMEMBERS_IF(SONDE_USED);
/// Waiting on a condition unlocks its mutex by the code of pthread_mutex_unlock.
inline constexpr char kUnlocks[] = SONDE_REMEMBERS
    "%P:%M:pthread_cond_wait:entry, %P:%M:pthread_cond_timedwait:entry, %P:%M:pthread_cond_clockwait:entry "
    "{ self->__plockstat_sp = 0; }\n";
inline constexpr char kCondition[] = SONDE_AT_ENTRY
    "{ self->__plockstat_cond = arg0; self->__plockstat_mutex = arg1; self->__plockstat_ccall = %N; "
    "self->__plockstat_csp = uregs[R_SP]; }\n";

// ---- the table -------------------------------------------------------------------------------------------------

using translation::At;
using translation::Row;

#define SONDE_MUTEX_ARGUMENT(value) \
  { value, "void *", "mutex" }
#define SONDE_RW_ARGUMENT(value) \
  { value, "void *", "rwlock" }

#define SONDE_LOCKED_ROWS(function, before)                                                                         \
  {function,                                                                                                        \
   "mutex-acquire",                                                                                                 \
   At::Return,                                                                                                      \
   before,                                                                                                          \
   SONDE_SAME_CALL " && " SONDE_GOT,                                                                                \
   {{SONDE_MUTEX_ARGUMENT(SONDE_LOCK), {SONDE_RECURSIVE(SONDE_LOCK), "int", "recursive"}, {"0", "int", "spins"}}}}, \
  {                                                                                                                 \
    function, "mutex-error", At::Return, before, SONDE_SAME_CALL " && !" SONDE_GOT, {                               \
      {                                                                                                             \
        SONDE_MUTEX_ARGUMENT(SONDE_LOCK), {"(int)arg1", "int", "error"}, {}                                         \
      }                                                                                                             \
    }                                                                                                               \
  }

#define SONDE_WAITING_ROWS(function)                                                                              \
  {function, "mutex-block",       At::Entry,                                                                      \
   kNothing, SONDE_TAKEN("arg0"), {{SONDE_MUTEX_ARGUMENT("arg0"), {SONDE_WORD("arg0", 8), "int", "owner"}, {}}}}, \
      {function,                                                                                                  \
       "mutex-blocked",                                                                                           \
       At::Return,                                                                                                \
       kMutexWaits,                                                                                               \
       SONDE_SAME_CALL " && self->__plockstat_waits != 0",                                                        \
       {{SONDE_MUTEX_ARGUMENT(SONDE_LOCK), {SONDE_GOT, "int", "acquired"}, {}}}},                                 \
      SONDE_LOCKED_ROWS(function, kMutexWaits)

#define SONDE_CONDITION_ROWS(function)                                                                               \
  {function, "cond-wait", At::Entry, kNothing, "", {{{"arg0", "void *", "cond"}, {"arg1", "void *", "mutex"}, {}}}}, \
      {function,  "mutex-release",                                                                                   \
       At::Entry, kNothing,                                                                                          \
       "",        {{SONDE_MUTEX_ARGUMENT("arg1"), {SONDE_RECURSIVE("arg1"), "int", "recursive"}, {}}}},              \
      {function,                                                                                                     \
       "cond-waited",                                                                                                \
       At::Return,                                                                                                   \
       kCondition,                                                                                                   \
       SONDE_SAME_WAIT,                                                                                              \
       {{{"self->__plockstat_cond", "void *", "cond"},                                                               \
         {"self->__plockstat_mutex", "void *", "mutex"},                                                             \
         {"(int)arg1", "int", "error"}}}},                                                                           \
  {                                                                                                                  \
    function, "mutex-acquire", At::Return, kCondition,                                                               \
        SONDE_SAME_WAIT " && ((int)arg1 == 0 || (int)arg1 == 110 || (int)arg1 == 130)", {                            \
      {                                                                                                              \
        SONDE_MUTEX_ARGUMENT("self->__plockstat_mutex"),                                                             \
            {SONDE_RECURSIVE("self->__plockstat_mutex"), "int", "recursive"}, {                                      \
          "0", "int", "spins"                                                                                        \
        }                                                                                                            \
      }                                                                                                              \
    }                                                                                                                \
  }

#define SONDE_RW_ROWS(function, before, writer)                                                   \
  {function,                                                                                      \
   "rw-acquire",                                                                                  \
   At::Return,                                                                                    \
   before,                                                                                        \
   SONDE_SAME_CALL " && (int)arg1 == 0",                                                          \
   {{SONDE_RW_ARGUMENT(SONDE_LOCK), {writer, "int", "writer"}, {}}}},                             \
  {                                                                                               \
    function, "rw-error", At::Return, before, SONDE_SAME_CALL " && (int)arg1 != 0", {             \
      {                                                                                           \
        SONDE_RW_ARGUMENT(SONDE_LOCK), {writer, "int", "writer"}, { "(int)arg1", "int", "error" } \
      }                                                                                           \
    }                                                                                             \
  }

#define SONDE_RW_WAITING_ROWS(function, before, taken, writer)                                                      \
  {function, "rw-block", At::Entry,                                                                                 \
   kNothing, taken,      {{SONDE_RW_ARGUMENT("arg0"), {writer, "int", "writer"}, {SONDE_WRITER, "int", "owner"}}}}, \
      {function,                                                                                                    \
       "rw-blocked",                                                                                                \
       At::Return,                                                                                                  \
       before,                                                                                                      \
       SONDE_SAME_CALL " && self->__plockstat_waits != 0",                                                          \
       {{SONDE_RW_ARGUMENT(SONDE_LOCK), {writer, "int", "writer"}, {"(int)arg1 == 0", "int", "acquired"}}}},        \
      SONDE_RW_ROWS(function, before, writer)

/// At one place, probes fire in the order of this table: blocked comes before acquire.
inline constexpr Row kRows[] = {
    SONDE_WAITING_ROWS("pthread_mutex_lock"),
    SONDE_WAITING_ROWS("pthread_mutex_timedlock"),
    SONDE_WAITING_ROWS("pthread_mutex_clocklock"),
    SONDE_LOCKED_ROWS("pthread_mutex_trylock", kRemembers),
    {"pthread_mutex_unlock",
     "mutex-release",
     At::Entry,
     kNothing,
     SONDE_MAY_UNLOCK("arg0"),
     {{SONDE_MUTEX_ARGUMENT("arg0"), {SONDE_RECURSIVE("arg0"), "int", "recursive"}, {}}}},
    {"pthread_mutex_unlock",
     "mutex-error",
     At::Return,
     kUnlocks,
     SONDE_SAME_CALL " && (int)arg1 != 0",
     {{SONDE_MUTEX_ARGUMENT(SONDE_LOCK), {"(int)arg1", "int", "error"}, {}}}},

    SONDE_CONDITION_ROWS("pthread_cond_wait"),
    SONDE_CONDITION_ROWS("pthread_cond_timedwait"),
    SONDE_CONDITION_ROWS("pthread_cond_clockwait"),
    {"pthread_cond_signal", "cond-signal", At::Entry, kNothing, "", {{{"arg0", "void *", "cond"}, {}, {}}}},
    {"pthread_cond_broadcast", "cond-broadcast", At::Entry, kNothing, "", {{{"arg0", "void *", "cond"}, {}, {}}}},

    SONDE_RW_WAITING_ROWS("pthread_rwlock_rdlock", kReaderWaits, SONDE_WRITTEN, "0"),
    SONDE_RW_WAITING_ROWS("pthread_rwlock_timedrdlock", kReaderWaits, SONDE_WRITTEN, "0"),
    SONDE_RW_WAITING_ROWS("pthread_rwlock_clockrdlock", kReaderWaits, SONDE_WRITTEN, "0"),
    SONDE_RW_ROWS("pthread_rwlock_tryrdlock", kRemembers, "0"),
    SONDE_RW_WAITING_ROWS("pthread_rwlock_wrlock", kWriterWaits, SONDE_USED, "1"),
    SONDE_RW_WAITING_ROWS("pthread_rwlock_timedwrlock", kWriterWaits, SONDE_USED, "1"),
    SONDE_RW_WAITING_ROWS("pthread_rwlock_clockwrlock", kWriterWaits, SONDE_USED, "1"),
    SONDE_RW_ROWS("pthread_rwlock_trywrlock", kRemembers, "1"),
    {"pthread_rwlock_unlock",
     "rw-release",
     At::Entry,
     kNothing,
     "",
     {{SONDE_RW_ARGUMENT("arg0"), {SONDE_WRITER " != 0", "int", "writer"}, {}}}},
};

}  // namespace sonde::plockstat
