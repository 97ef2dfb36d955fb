/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * DIF: the fire part of a clause
 *
 * A program decides whether a firing is recorded, and captures what is available only
 * there. It has sixteen 64-bit registers, a pool of constant bytes, and branches that only
 * go forward, so it ends after at most `length` instructions.
 *
 * Memory. There are separate instructions for memory of the process and of the kernel, and neither accesses the other
 * memory, whatever the address is: a traced program controls the values of its pointers.
 *
 * Faults. A load of memory that fails sets the sticky fault and yields 0. The
 * next capture takes the fault over: its slot's fault bit is set, and the slot holds
 * the bad address. JZ, JNZ and FAIL with a pending fault end the program with a record
 * that is flagged SONDE_RECORD_PREDICATE_FAULT. ST* stores 0 and clears the fault.
 *
 * sonde_dif_verify() accepts only programs whose every instruction is defined, whose
 * registers are written before they are read on every path (r0..r15 start undefined), whose
 * branches go forward and stay inside, whose pool references lie in the pool (text is NUL-terminated there),
 * whose slots are below `slots` and captured at most once on every path with the kind that
 * `kinds` names, and whose last instruction is RECORD or FAIL. What it accepts, sonde_dif_run() runs without checks.
 */
#ifndef SONDE_DIF_H
#define SONDE_DIF_H

#include "kmod/shared/record.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_DIF_REGISTERS 16u
#define SONDE_DIF_MAX_LENGTH 4096u /* instructions */
#define SONDE_DIF_MAX_POOL 65536u /* bytes */
#define SONDE_DIF_LOCALS 32u /* this-> scalars, zero at the start of each firing */
#define SONDE_DIF_THREAD 64u /* self-> scalars */
#define SONDE_DIF_ARGS 10u
#define SONDE_DIF_MAX_TEXT 65536u /* longest text or memory capture, bytes */
#define SONDE_DIF_MAX_FRAMES 256u
#define SONDE_DIF_MAX_OPEN 64u /* different branch targets that are ahead of one instruction */
#define SONDE_DIF_UREGS 26u /* D's R_* numbers */
#define SONDE_DIF_ANCESTORS 256u /* of a process that are looked at: a chain has as many links as somebody forks */

struct sonde_dif_insn {
	uint8_t op;
	uint8_t d; /* destination register, or the slot of a capture */
	uint8_t a; /* operand registers */
	uint8_t b;
	int32_t i; /* immediate: number, pool offset, branch distance, variable */
};

/*   X(name, operands, meaning)
 * operands, one letter each: d a b registers (d written); S d is a slot; i number; P pool offset of a
 * u64; T pool offset of a text; J forward branch, in instructions from the next one; V enum sonde_dif_variable; L
 * local; H thread variable; N argument */
#define SONDE_DIF_OPS(X)                                                          \
	X(LI, "di", "d = sign-extended i")                                        \
	X(LC, "dP", "d = the u64 at pool + i")                                    \
	X(MOV, "da", "d = a")                                                     \
	X(ADD, "dab", "d = a + b")                                                \
	X(SUB, "dab", "d = a - b")                                                \
	X(MUL, "dab", "d = a * b")                                                \
	X(DIVS, "dab", "d = a / b, signed; b = 0 gives 0, INT64_MIN / -1 wraps")  \
	X(DIVU, "dab", "d = a / b, unsigned; b = 0 gives 0")                      \
	X(MODS, "dab", "d = a % b, signed; b = 0 gives 0")                        \
	X(MODU, "dab", "d = a % b, unsigned; b = 0 gives 0")                      \
	X(AND, "dab", "d = a & b")                                                \
	X(OR, "dab", "d = a | b")                                                 \
	X(XOR, "dab", "d = a ^ b")                                                \
	X(SHL, "dab", "d = a << b; 0 when b > 63")                                \
	X(SHRS, "dab", "d = a >> b, arithmetic; 0 when b > 63")                   \
	X(SHRU, "dab", "d = a >> b, logical; 0 when b > 63")                      \
	X(NEG, "da", "d = -a")                                                    \
	X(NOT, "da", "d = ~a")                                                    \
	X(SX, "dai", "d = the low i bits of a, sign-extended; i is 8, 16 or 32")  \
	X(ZX, "dai", "d = the low i bits of a, zero-extended; i is 8, 16 or 32")  \
	X(EQ, "dab", "d = a == b")                                                \
	X(NE, "dab", "d = a != b")                                                \
	X(LTS, "dab", "d = a < b, signed")                                        \
	X(LES, "dab", "d = a <= b, signed")                                       \
	X(LTU, "dab", "d = a < b, unsigned")                                      \
	X(LEU, "dab", "d = a <= b, unsigned")                                     \
	X(JMP, "J", "continue at next + i")                                       \
	X(JZ, "aJ", "continue at next + i if a == 0")                             \
	X(JNZ, "aJ", "continue at next + i if a != 0")                            \
	X(VAR, "dV", "d = built-in variable i")                                   \
	X(ARG, "dN", "d = argument i of the probe; 0 if it has none")          \
	X(REG, "di", "d = uregs[i], i as in D's R_* numbers 0..25")               \
	X(LDU, "dai", "d = user memory at a, zero-extended; i bytes: 1, 2, 4, 8") \
	X(LDS, "dai", "d = user memory at a, sign-extended; i bytes: 1, 2, 4")    \
	X(LDK, "dai", "d = kernel memory at a, zero-extended; i bytes: 1, 2, 4, 8") \
	X(LDL, "dL", "d = local i")                                               \
	X(STL, "aL", "local i = a")                                               \
	X(LDT, "dH", "d = thread variable i")                                     \
	X(STT, "aH", "thread variable i = a")                                     \
	X(PROGENY, "da", "d = 1 if process a is the firing thread's, or one of its SONDE_DIF_ANCESTORS nearest ancestors, else 0; process 0 is nobody's") \
	X(NAMEQ, "dT", "d = execname equals the text at pool + i")                \
	X(CAPW, "Sa", "slot = a")                                                 \
	X(CAPSTR, "Sai", "slot = text at user address a, at most i bytes")        \
	X(CAPSTRN, "Sabi", "slot = text at user address a, at most min(b, i) bytes") \
	X(CAPMEM, "Sabi", "slot = b bytes at user address a; b > i is a fault")   \
	X(CAPTEXT, "Sai", "slot = enum sonde_dif_text i of operand a")            \
	X(CAPSTACK, "Si", "slot = user stack, at most i frames")                  \
	X(CAPKSTR, "Sai", "slot = text at kernel address a, at most i bytes")     \
	X(CAPKMEM, "Sabi", "slot = b bytes at kernel address a; b > i is a fault") \
	X(CAPKSTACK, "Si", "slot = kernel stack, at most i frames")               \
	X(RECORD, "", "end, and write the record")                               \
	X(FAIL, "", "end without a record")

enum sonde_dif_op {
#define SONDE_DIF_ENUM(name, operands, meaning) SONDE_DIF_##name,
	SONDE_DIF_OPS(SONDE_DIF_ENUM)
#undef SONDE_DIF_ENUM
		SONDE_DIF_OP_COUNT
};

/* Variables of the thread that fires. */
#define SONDE_DIF_VARIABLES(X)                                            \
	X(PID, "process id") X(TID, "thread id") X(PPID, "parent's process id") \
	X(UID, "real user id") X(GID, "real group id") X(CPU, "cpu")       \
	X(TIMESTAMP, "time of the firing, ns") X(VTIMESTAMP, "cpu time of the thread, ns") \
	X(ERRNO, "error of the returning system call; 0 if it succeeded")  \
	X(UCALLER, "return address of the current user function")         \
	X(USTACKDEPTH, "frames of the user stack") X(PROBE, "id of the probe") \
	X(EUID, "effective user id") X(EGID, "effective group id")        \
	X(PGID, "process group") X(SID, "session") X(NLWP, "threads of the process") \
	X(SYSCALL, "number of the current system call, -1 outside")      \
	X(STACK_START, "address of argc: the stack at the program's start") \
	X(TTY, "device of the controlling terminal; 0: none")             \
	X(PRIORITY, "scheduling priority, as ps shows it")                \
	X(POLICY, "scheduling policy, SCHED_*")                           \
	X(BOUND_CPU, "the only CPU on which the thread may run; -1: several") \
	X(CURTHREAD, "address of the thread's task_struct")               \
	X(CALLER, "return address of the current kernel function; 0: not visible") \
	X(STACKDEPTH, "frames of the kernel stack; 0: not visible")       \
	X(VPID, "process id in the process's own pid namespace")          \
	X(PIDNS, "inode of the pid namespace")                            \
	X(CGROUPID, "id of the cgroup in the v2 hierarchy; 0: none")

enum sonde_dif_variable {
#define SONDE_DIF_ENUM(name, meaning) SONDE_DIF_VAR_##name,
	SONDE_DIF_VARIABLES(SONDE_DIF_ENUM)
#undef SONDE_DIF_ENUM
		SONDE_DIF_VAR_COUNT
};

/* X(name, bytes at most, with the NUL, meaning). The kernel makes paths of at most 4096 bytes. */
#define SONDE_DIF_TEXTS(X)                                                   \
	X(EXECNAME, 16, "name of the program")                               \
	X(PSARGS, 81, "arguments of the process, separated by blanks")            \
	X(CWD, 4096, "working directory")                                    \
	X(ROOT, 4096, "root directory")                                      \
	X(FDPATH, 4096, "path of file descriptor a; \"<none>\" if it is not open") \
	X(FDFS, 64, "file system type of file descriptor a; empty if it is not open") \
	X(FDMOUNT, 4096, "mount point of file descriptor a")                 \
	X(EXEPATH, 4096, "path of the executable")                           \
	X(SYSCALL_ARGS, 1024, "arguments of the system call, as in name: value, ...") \
	X(PROBE_TEXT, 4096, "text argument a of the probe (such as exec's path)") \
	X(FDPOS, 24, "offset of file descriptor a, in decimal; empty if it is not open") \
	X(FDFLAGS, 24, "O_* flags of file descriptor a, in decimal; empty if it is not open") \
	X(COMM, 16, "name of process a; empty if there is none")             \
	X(STRINGS, 65536, "the texts behind the array of pointers at a: enum sonde_strings_item") \
	X(POINTERS, 24, "how many pointers stand before the NULL of the array at a, in decimal, and ? if its end cannot be read")

enum sonde_dif_text {
#define SONDE_DIF_ENUM(name, max, meaning) SONDE_DIF_TEXT_##name,
	SONDE_DIF_TEXTS(SONDE_DIF_ENUM)
#undef SONDE_DIF_ENUM
		SONDE_DIF_TEXT_COUNT
};

/* STRINGS is a sequence of items, which each end in a NUL: one of these characters, then a text. Without an end there was
 * no room for the rest. */
enum sonde_strings_item {
	SONDE_STRINGS_TEXT = 't',
	SONDE_STRINGS_CUT = 'c', /* the beginning of a text */
	SONDE_STRINGS_ADDRESS = 'a', /* of a text that cannot be read, in hexadecimal */
	SONDE_STRINGS_END = 'e', /* the array's NULL */
	SONDE_STRINGS_UNREADABLE = 'u', /* the array cannot be read from this address on, in hexadecimal */
};

struct sonde_dif_program {
	const struct sonde_dif_insn *insns;
	uint32_t length;
	uint32_t slots;
	const uint8_t *pool;
	uint32_t pool_size;
	uint32_t record_max; /* bytes a record of it can have; set by verify */
	const uint8_t *kinds; /* enum sonde_slot_kind, one a slot */
};

/* The thread that fires, as the environment knows it. */
#ifdef __KERNEL__
struct sonde_firing;
typedef struct sonde_firing sonde_dif_context;
#else
typedef void sonde_dif_context;
#endif

/* What the environment of a program provides. All return 0 or a length, or -1 on failure. */
struct sonde_dif_env {
	int (*read_user)(sonde_dif_context *thread, uint64_t address, void *to, uint32_t length);
	/* copies up to `max` - 1 bytes and a NUL; returns the length without it */
	int (*read_text)(sonde_dif_context *thread, uint64_t address, char *to, uint32_t max);
	uint64_t (*variable)(sonde_dif_context *thread, uint32_t variable);
	uint64_t (*user_register)(sonde_dif_context *thread, uint32_t number);
	/* whether its process is this one, not 0, or descends from it now: 1 or 0 */
	uint64_t (*descends)(sonde_dif_context *thread, uint64_t pid);
	/* as read_text */
	int (*text)(sonde_dif_context *thread, uint32_t which, uint64_t operand, char *to, uint32_t max);
	/* writes up to `max` program counters; returns how many. Or struct sonde_copied_stack and what it has copied, up to
	 * sonde_dif_firing::stack_words; returns how many words, at least those of the struct */
	int (*stack)(sonde_dif_context *thread, uint64_t *to, uint32_t max);
	/* as the first two and stack(), for the kernel; NULL where the kernel must not be read: a fault */
	int (*read_kernel)(sonde_dif_context *thread, uint64_t address, void *to, uint32_t length);
	int (*read_kernel_text)(sonde_dif_context *thread, uint64_t address, char *to, uint32_t max);
	int (*kernel_stack)(sonde_dif_context *thread, uint64_t *to, uint32_t max);
};

/* One firing, as a program gets it. */
struct sonde_dif_firing {
	const struct sonde_dif_env *env;
	sonde_dif_context *thread; /* handed to env */
	const uint64_t *args; /* SONDE_DIF_ARGS */
	uint64_t *locals; /* SONDE_DIF_LOCALS, zeroed by the caller once a firing */
	uint64_t *thread_variables; /* SONDE_DIF_THREAD */
	const char *execname;
	uint32_t stack_words; /* room in the record for each copied user stack; 0: none is copied */
};

/* 0, or a negative errno; `why` (of `why_size` bytes) then names instruction and reason. */
int sonde_dif_verify(struct sonde_dif_program *program, char *why, uint32_t why_size);

/* Runs a verified program. `record` has room for program->record_max bytes, and its
 * header is filled in except size, flags, slots and faults. Returns the record's size, or 0
 * if the program ended with FAIL. */
uint32_t sonde_dif_run(const struct sonde_dif_program *program, const struct sonde_dif_firing *firing,
		       struct sonde_record *record);

/* What a program needs at its firing. */
enum sonde_need {
	SONDE_NEED_ARGS = 1,
	SONDE_NEED_STACK_ARGS = 2, /* arg6 or later */
	SONDE_NEED_LOCALS = 4,
	SONDE_NEED_THREAD = 8, /* its thread variables */
	SONDE_NEED_USER = 16, /* user memory, which may be absent */
	SONDE_NEED_CARE = 32, /* it writes variables, which a nested firing must not find half done */
	SONDE_NEED_TIME = 64,
};

struct sonde_needs {
	uint32_t ready; /* enum sonde_need, one bit each */
	uint32_t arguments; /* bit n: argument n */
	uint32_t variables; /* bit n: enum sonde_dif_variable n */
	uint32_t texts; /* bit n: it captures enum sonde_dif_text n */
	uint32_t bytes; /* of a record: words, texts and stacks at their longest, without texts whose length depends on the event */
	int execname;
	int kernel; /* it may run only where the kernel may be read: it has LDK, CAPK* or CURTHREAD */
	int frames; /* it captures addresses of user code, which will be resolved later */
};

/* What a verified program needs: used by all code that loads or runs it, or has a buffer for its records. */
struct sonde_needs sonde_dif_needs(const struct sonde_dif_program *program);

/* For a disassembler: names as in the tables above, NULL where there is none. */
const char *sonde_dif_op_name(uint32_t op);
const char *sonde_dif_op_operands(uint32_t op);
const char *sonde_dif_variable_name(uint32_t variable);
const char *sonde_dif_text_name(uint32_t text);

/* The maximal size of this text in a CAPTEXT, NUL included; 0: no such text. */
uint32_t sonde_dif_text_max(uint32_t text);

/* Signed division as DIF has it: by 0 it gives 0, and INT64_MIN / -1 wraps. */
static inline uint64_t sonde_dif_divide(uint64_t a, uint64_t b)
{
	if (b == 0)
		return 0;
	return b == ~0ull ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t sonde_dif_modulo(uint64_t a, uint64_t b)
{
	return b == 0 || b == ~0ull ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

#ifdef __cplusplus
}
#endif

#endif
