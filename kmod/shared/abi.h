/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The ABI of an event source
 *
 * A session is one open connection: a socket to the guard, or an open /dev/sonde. Requests are
 * sent one at a time, and each is answered by one sonde_reply (a negative errno or a value, then
 * `length` bytes). Events come at any time. When a session closes, for whatever reason, everything it made is undone.
 *
 * A tap arms one place for one probe; ECBs belong to the probe, not to the tap:
 *
 *   tap (kind, selector, target) --fires--> probe --has--> ECB (epid) --runs--> program (DIF)
 *
 * so a clause on 350 probes is one program, 350 ECBs and 350 taps.
 */
#ifndef SONDE_ABI_H
#define SONDE_ABI_H

#include "kmod/shared/dif.h"
#include "kmod/shared/event.h"
#include "kmod/shared/leave.h"
#include "kmod/shared/location.h"

#define SONDE_ABI_VERSION 8u
#define SONDE_PATH_MAX 4096u
#define SONDE_COUNTERS_MAX 4u /* of a tap */

enum sonde_request_kind {
	SONDE_HELLO, /* value = version; reply: the source's version, and SONDE_SEES_COMPAT */
	SONDE_BUFFERS, /* value = bytes a ring, id = enum sonde_policy; reply: number of rings; their fds (guard) or mmap offsets come with it */
	SONDE_PROGRAM_LOAD, /* id; payload sonde_program_payload; the program is verified */
	SONDE_ECB_ADD, /* payload: array of `value` sonde_ecb; all or none */
	SONDE_ECB_REMOVE, /* payload: array of `value` u32 epids */
	SONDE_TAP_ARM, /* payload: array of `value` sonde_tap; then their paths, their locations, their counters, their leaves */
	SONDE_TAP_DISARM, /* payload: array of `value` u32 tap ids; after the reply none of them fires */
	SONDE_SPAWN, /* payload: sonde_spawn_payload; reply: pid, stopped after its exec */
	SONDE_ATTACH, /* value = pid; reply 0: all its threads are attached; none of them fires before SONDE_GO */
	SONDE_RUN_TO_ENTRY, /* value = pid: runs the spawned program to its entry point (dynamic linker done); id = 1: a source may stop it before its libraries' constructors */
	SONDE_GO, /* lets the targets run, and fire, for the first time */
	SONDE_DETACH, /* value = pid: stops tracing it for good; 0: every traced process, with those that are forked meanwhile. Reply: their number. EAGAIN: they fork faster than the source can detach */
	SONDE_READ_MEMORY, /* id = pid, address, length; reply: the bytes */
	SONDE_WRITE_MEMORY, /* id = pid, address; payload: the bytes */
	SONDE_RELEASE, /* id = tid of a held thread; value: 0 go on, 1 stay stopped, 2 + n: raise signal n in its process; with SONDE_RELEASE_... */
	SONDE_FOLLOW, /* value = pid, a target: from now on, a thread of it that maps an executable file waits for SONDE_ACKNOWLEDGE; id = 1: and threads of the processes that have it as their origin. value = 0, id = 0, payload = a wildcard (*, ?, [...]) without a NUL: from now on, a thread of any traced process that maps an executable file whose path it matches, and that no thread has waited for yet, waits; such files that processes have already are reported, too, by the ptrace source. */
	SONDE_ACKNOWLEDGE, /* id = tid: acknowledges one of its MAPPED events. The thread continues when all of them are acknowledged */
	SONDE_STATISTICS, /* reply: sonde_statistics */
	SONDE_SESSIONS, /* reply: value = their number, array of sonde_session_info: for root all sessions, else the user's own */
	SONDE_STACK, /* of the guard only. id = tid of a thread that sleeps in a system call; reply: array of u64, the addresses of its user stack, innermost first. The thread is interrupted, and its call repeated. EBUSY: the call must not be interrupted */
	SONDE_REQUEST_COUNT
};

/* What happens to a record when its ring is full. */
enum sonde_policy {
	SONDE_POLICY_SWITCH, /* drops it; the reader makes room while the session runs */
	SONDE_POLICY_FILL, /* drops it, and soon after every record on every ring */
	SONDE_POLICY_RING, /* overwrites the oldest records, which do not count as drops: the writer moves tail, and the reader reads after everything is disarmed */
	SONDE_POLICY_COUNT
};

/*
 * Flags, reserved fields and fields that a kind of request does not use must be 0, here and in all payloads; otherwise
 * the request fails with EINVAL (request.h). In answers, reserved fields are 0, and may get a meaning later. A
 * source that can do more than this sets bits in the answer to SONDE_HELLO.
 */
struct sonde_request {
	uint32_t kind;
	uint32_t id;
	uint64_t value;
	uint64_t address;
	uint64_t length; /* bytes of payload that follow (for READ_MEMORY: bytes wanted) */
	uint32_t flags;
	uint32_t reserved;
};

struct sonde_reply {
	int32_t error; /* 0 or a negative errno */
	uint32_t length; /* bytes that follow */
	uint64_t value;
	char why[240]; /* on an error: a text for the user, may be empty */
};

#define SONDE_SEES_COMPAT (1ull << 32) /* calls of 32-bit code can be traced */

struct sonde_program_payload { /* then insns, kinds, pool */
	uint32_t length, slots, pool_size, reserved;
};

struct sonde_ecb {
	uint32_t epid; /* rises with the order of enabling: ECBs of a probe run in this order */
	uint32_t probe;
	uint32_t program;
	uint32_t flags; /* SONDE_ECB_HELD */
};
#define SONDE_ECB_HELD 1u

struct sonde_tap {
	uint32_t id;
	uint32_t kind;
	uint32_t probe;
	uint32_t number; /* of a system call, or SONDE_UNNAMED_CALLS; for a tap in SONDE_PATH_CODE: how many bytes of its function's text `sum` covers */
	uint32_t pid; /* only this process, or those with this origin; 0: every target and its children */
	uint32_t path_length; /* length of the path for USER_*, without a NUL; the paths follow the array, in order; 0: the path of the tap before */
	uint64_t offset; /* in the file, of the instruction; for PROFILE and TICK the period, ns, at least SONDE_PERIOD_MIN; for SONDE_UNNAMED_CALLS the number */
	uint64_t function; /* file offset of the function's entry, for USER_* */
	struct sonde_leave leave; /* for USER_RETURN: the instruction; for USER_ENTRY: REENTER for the jumps that are not entries, else NONE */
	uint32_t sum; /* in SONDE_PATH_CODE: CRC-32 of the text when the probe was made; if the text differs, the tap is not armed. Else 0 */
	uint32_t arguments; /* number of its sonde_location: where the arguments are; for USER_* */
	uint32_t flags; /* SONDE_TAP_FORKS, SONDE_TAP_NOP */
	/*
	 * For USER_*: number of its u64, the file offsets of 16-bit counters by which a program knows that somebody traces. In
	 * each process where the tap is armed the source raises each, and takes that back when no tap of the session that has it
	 * is armed there any more. By how much is the source's affair: the kernel adds 1 for each place. The module raises one
	 * for a tap.
	 */
	uint32_t counters;
	/* Reserved, all 0: no source supports these yet. */
	uint32_t returns; /* for a USER_ENTRY: number of its sonde_leave, which the source arms with it */
	uint32_t machine; /* ELF's number of the machine that leaves and locations speak of; 0: the source's own */
	/* For the guard only. The module looks the path up, with the rights of the process that arms the tap. */
	uint64_t inode; /* of the file, if a look-up of its path might hang because its server does not answer; 0: the path names it */
	uint32_t major, minor; /* its device */
	uint32_t reserved[1];
};

/* Bits of the value of SONDE_RELEASE, of the guard only. */
#define SONDE_RELEASE_RESULT (1ull << 63) /* the thread is at the entry of a system call, which is not made: its result is `address` */
#define SONDE_RELEASE_TO_THREAD (1ull << 62) /* the signal goes to the thread, from the kernel, as a fault's does */

struct sonde_spawn_payload { /* then argv and envp, NUL after each string */
	uint32_t argc, envc;
	uint32_t flags; /* SONDE_SPAWN_... */
	uint32_t calls; /* number of u32 system call numbers after the strings; SONDE_UNNAMED_CALLS stands for all without a name */
	uint32_t uid, gid; /* with SONDE_SPAWN_AS_USER: who the program runs as */
	uint32_t groups; /* number of u32 supplementary groups after the calls */
	uint32_t terminal; /* with SONDE_SPAWN_TERMINAL: its number in /dev/pts */
};
#define SONDE_SPAWN_FILTER 1u /* a seccomp filter that stops exactly `calls` may be installed */
#define SONDE_SPAWN_SHOWS_EXEC 2u /* at GO the exec fires: EXEC_SUCCESS, and the return of execve */
#define SONDE_SPAWN_AS_USER 4u /* of root only */
#define SONDE_SPAWN_TERMINAL 8u /* the program writes to `terminal` */
#define SONDE_SPAWN_TERMINAL_ERRORS 16u /* its standard error, too */
#define SONDE_SPAWN_TERMINAL_CONTROLS 32u /* and reads from it: it controls the program, which gets a session of its own */

enum sonde_event_kind {
	SONDE_EVENT_TARGET_GONE, /* pid ended; value = its wait status */
	SONDE_EVENT_ALL_GONE, /* nothing is traced any more */
	SONDE_EVENT_MAPPED, /* pid mapped an executable file: the fields of mappings, path follows; value = tid that waits for SONDE_ACKNOWLEDGE, 0 none */
	SONDE_EVENT_MAPPING, /* pid had this executable mapping: as MAPPED, value = enum sonde_mapping_when. For symbols */
	SONDE_EVENT_EXEC, /* pid has replaced its program by an exec */
	SONDE_EVENT_DATA, /* a ring is a quarter full, or a thread is held: drain */
	SONDE_EVENT_NOTICE, /* a text for the user follows, such as what the source could not arm, and why; value = 1: a target came to harm, or may */
	SONDE_EVENT_RINGS, /* a CPU came up: there are `value` rings now; the new ones can be mapped */
	SONDE_EVENT_STAYS, /* the last event: the other end must stay while `value` processes live; a text for the user follows */
	SONDE_EVENT_COUNT
};

enum sonde_mapping_when {
	SONDE_MAPPING_SEEN, /* sent before the first record that may need it */
	SONDE_MAPPING_ENDS, /* pid is ending, or replacing its program */
};

/* An address belongs to a time: records of before `time` see what was there before. */
struct sonde_event {
	uint32_t kind;
	uint32_t pid;
	uint64_t value;
	uint64_t time; /* CLOCK_MONOTONIC, ns: when it happened. The event comes before all records of later times */
	/* of a mapping, as /proc/PID/maps has them */
	uint64_t address;
	uint64_t size; /* bytes */
	uint64_t offset; /* in the file */
	uint64_t inode; /* of the file: the path may lead to another one by now */
	uint32_t major, minor; /* of the file's device */
	uint32_t length; /* bytes that follow */
	uint32_t descriptors; /* on the socket, 1: a descriptor of the mapped file comes with the event, because its path may not lead there any more */
	uint32_t origin; /* of MAPPED: pid's origin, 0 none */
	uint32_t reserved;
};

/* On the socket every packet begins with one of these. SOCK_STREAM: a packet may be of any length. */
enum sonde_packet_kind { SONDE_PACKET_REQUEST = 1, SONDE_PACKET_REPLY, SONDE_PACKET_EVENT };
struct sonde_packet {
	uint32_t kind;
	uint32_t length; /* bytes that follow, the fixed struct included */
};

struct sonde_statistics {
	uint64_t stops; /* times a traced thread was stopped */
	uint64_t firings; /* ECBs run */
	uint64_t records; /* records written */
	uint64_t drops;
	uint64_t steps; /* instructions stepped out of line */
	uint64_t emulated; /* instructions emulated instead */
	uint64_t looking_ns; /* time that the source polled for the next stop while threads ran */
	uint64_t reserved[9];
};

struct sonde_session_info {
	uint32_t pid, uid; /* who opened it */
	char command[16];
	uint32_t taps, targets, ecbs, programs;
	uint32_t held; /* threads that wait for a release now */
	uint32_t rings;
	uint64_t ring_bytes; /* of data, each */
	uint64_t records, drops;
	uint64_t reserved[6];
};

/*
 * /dev/sonde
 *
 * A request is one ioctl. It returns 0, or -1 with the errno that is also in `reply.error` (`reply.why` then has the
 * reason). -EFAULT: the exchange itself, the payload or the room for the answer cannot be accessed; -ENOTTY: another
 * ioctl; -EPROTO: there was no SONDE_HELLO yet. The answer to SONDE_BUFFERS is an array of u64, the offset of each ring
 * for mmap; ring n is at n * SONDE_RING_STRIDE. A second SONDE_BUFFERS replaces the rings: the reader can still read
 * what is left in the old ones; then it unmaps them and maps the new ones. read() returns one sonde_event and its
 * bytes, or fails with EAGAIN; poll() shows when there is one.
 */
#include <linux/ioctl.h>

struct sonde_exchange {
	struct sonde_request request;
	uint64_t payload; /* address of request.length bytes */
	uint64_t answer; /* address of room for the bytes that follow the reply */
	uint64_t room; /* bytes there; a longer answer is refused with -EMSGSIZE */
	struct sonde_reply reply;
};

#define SONDE_RING_STRIDE (1ull << 31) /* between the mmap offsets of rings */
#define SONDE_EXCHANGE _IOWR(0xd5, 1, struct sonde_exchange)
#define SONDE_PAYLOAD_MAX (4u << 20) /* bytes of one request's payload; more: -E2BIG */

#endif
