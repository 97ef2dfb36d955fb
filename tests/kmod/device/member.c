// SPDX-License-Identifier: GPL-2.0
/*
 * A member of the device's group, who may open it but has no privileges, must
 * not get data of privileged programs or of the kernel
 *
 * The program copies itself to VICTIM, set-uid root. A traced child execs that
 * copy.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "child.h"

#define GROUP 4242 /* used as the group `tracing` */
#define VICTIM "/tmp/sonde-victim"
#define PLAIN "/tmp/sonde-plain" /* the same, but not set-uid */

static void as_member(void (*part)(void));

static struct client c;
static char secret[32]; /* at the same address in both, because the binary is static */

static int victim(void)
{
	snprintf(secret, sizeof(secret), "root:%d:hash", geteuid());
	sleep(2);
	return 7;
}

static int become_victim(void)
{
	execl(VICTIM, VICTIM, "victim", NULL);
	return 8;
}

static uint64_t of_root;

static void count_root(const struct sonde_record *r)
{
	if (!(r->faults & 1) && r->slot[0] == 0)
		of_root++;
}

/* Captures euid, and the bytes at `secret`. */
static void load_nosy(struct client *client, uint32_t id)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_VAR, 2, 0, 0, SONDE_DIF_VAR_EUID },
		{ SONDE_DIF_CAPW, 0, 2, 0, 0 },
		{ SONDE_DIF_LI, 0, 0, 0, (int32_t)(uintptr_t)secret },
		{ SONDE_DIF_LI, 1, 0, 0, 24 },
		{ SONDE_DIF_CAPMEM, 1, 0, 1, 24 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_WORD, SONDE_SLOT_BYTES };

	GRANTED(client, load_kinds(client, id, INSNS(code), 2, kinds));
}

/* Reads all events; returns the number of those of a kind about a process, and the last text. */
static int events(uint32_t kind, pid_t pid, char text[4096])
{
	char packet[8192];
	const struct sonde_event *event = (void *)packet;
	int count = 0;

	while (read(c.fd, packet, sizeof(packet)) > 0)
		if (event->kind == kind && (pid_t)event->pid == pid) {
			snprintf(text, 4096, "%.*s", (int)event->length,
				 packet + sizeof(*event));
			count++;
		}
	return count;
}

/* Every kind of tap that needs no capability, on a child that runs root's program. */
static void exec_is_a_border(void)
{
	static const struct sonde_tap taps[] = {
		{ .kind = SONDE_TAP_SYSCALL_ENTRY, .number = SYS_execve },
		{ .kind = SONDE_TAP_SYSCALL_RETURN, .number = SYS_execve },
		{ .kind = SONDE_TAP_SYSCALL_ENTRY,
		  .number = SYS_clock_nanosleep },
		{ .kind = SONDE_TAP_EXEC },
		{ .kind = SONDE_TAP_EXEC_SUCCESS },
		{ .kind = SONDE_TAP_SIGNAL_SEND },
		{ .kind = SONDE_TAP_SIGNAL_DELIVER },
		{ .kind = SONDE_TAP_SIGNAL_DISCARD },
		{ .kind = SONDE_TAP_LWP_EXIT },
		{ .kind = SONDE_TAP_EXIT },
	};
	struct child child;
	char text[4096] = "";

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, become_victim);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, attach(&c, getpid())); /* it gets the signals of the child */
	for (uint32_t n = 0; n < LENGTH(taps); n++) {
		load_nosy(&c, n + 1);
		GRANTED(&c, arm(&c, n + 1, taps[n], NULL));
	}
	go(&c);
	open_gate(&child);
	usleep(500000);
	CHECK(events(SONDE_EVENT_NOTICE, child.pid, text) == 1 &&
		      strstr(text, "not traced any more"),
	      "it is not told: %s", text);
	CHECK(attach(&c, child.pid) == -EPERM, "attached to root's program");
	CHECK(ask(&c, SONDE_FOLLOW, 0, child.pid) == -ESRCH,
	      "root's program is held");
	/* it notifies its parent of a stop: root's program sends that */
	kill(child.pid, SIGSTOP);
	usleep(100000);
	kill(child.pid, SIGCONT);
	CHECK_EXIT(&child, 7);
	of_root = 0;
	CHECK(drain(&c, count_root) > 0, "nothing of the child before");
	CHECK(of_root == 0, "%lu records of root's program", of_root);
	close_client(&c);
}

static uint32_t late; /* microseconds */

static int become_victim_for_long(void)
{
	usleep(late);
	execl(VICTIM, VICTIM, "sleeper", NULL);
	return 8;
}

static void *exec_in_thread(void *unused)
{
	become_victim_for_long();
	return unused;
}

/* The thread takes the place of the leader, and its number. */
static int become_victim_in_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, exec_in_thread, NULL))
		pthread_join(thread, NULL);
	return 8;
}

static int is_of_root(pid_t pid)
{
	char name[64], line[200];
	unsigned int euid = 1;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/status", pid);
	file = fopen(name, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Uid: %*u %u", &euid) == 1)
			break;
	if (file)
		fclose(file);
	return euid == 0;
}

/*
 * An attach and an exec at the same time: whichever comes first, root's program is no target. The exec comes later
 * after an attach that was too late, and sooner after one that was not.
 */
static void beside_an_exec(int (*become)(void))
{
	uint32_t granted = 0, refused = 0, kept = 0, mapped = 0;

	late = 10000;
	for (uint32_t n = 0; n < 40; n++) {
		struct child child;
		char text[4096] = "";
		int err;

		/* a new session each time: its first attach takes longest */
		GRANTED(&c, open_session(&c, 4096));
		child = start_child(&c, become);
		open_gate(&child);
		err = attach(&c, child.pid);
		CHECK(err == 0 || err == -EPERM, "attach: %s", strerror(-err));
		granted += !err;
		refused += err == -EPERM;
		late = err ? late * 2 : late / 2 + 1000;
		CHECK(SOON(is_of_root(child.pid)), "it is not root's");
		kept += ask(&c, SONDE_FOLLOW, 0, child.pid) != -ESRCH;
		mapped += events(SONDE_EVENT_MAPPED, child.pid, text) &&
			  strstr(text, VICTIM);
		kill(child.pid, SIGKILL);
		close_client(&c);
		CHECK_KILLED(&child);
	}
	CHECK(kept == 0 && mapped == 0,
	      "%u of root's programs are targets, %u say where they lie", kept,
	      mapped);
	CHECK(granted && refused, "no race: %u attaches granted, %u refused",
	      granted, refused);
}

static void attach_beside_exec(void)
{
	beside_an_exec(become_victim_for_long);
	beside_an_exec(become_victim_in_thread);
}

/* MAPPED would tell where root's program is mapped; also for its children. */
static void addresses_stay_secret(void)
{
	struct child child;
	char text[4096] = "";

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, become_victim);
	GRANTED(&c, attach(&c, child.pid));
	go(&c);
	open_gate(&child);
	usleep(500000);
	CHECK(events(SONDE_EVENT_MAPPED, child.pid, text) == 0, "it maps %s",
	      text);
	CHECK_EXIT(&child, 7);
	CHECK(events(SONDE_EVENT_MAPPING, child.pid, text) == 0, "it had %s",
	      text);
	close_client(&c);
}

/* Engines that a thread got earlier do not hold it in root's program. */
static void not_held_behind_an_exec(void)
{
	static const struct sonde_tap taps[] = {
		{ .kind = SONDE_TAP_EXEC_SUCCESS },
		{ .kind = SONDE_TAP_SYSCALL_RETURN, .number = SYS_execve },
		{ .kind = SONDE_TAP_SYSCALL_ENTRY,
		  .number = SYS_clock_nanosleep },
		{ .kind = SONDE_TAP_EXIT },
	};
	struct sonde_tap tap;
	struct child child;

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, become_victim);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	for (uint32_t n = 0; n < LENGTH(taps); n++) {
		tap = taps[n];
		tap.id = tap.probe = n + 1;
		GRANTED(&c, add_ecb(&c, (struct sonde_ecb){
			n + 1, n + 1, 1, SONDE_ECB_HELD }));
		GRANTED(&c, arm_tap(&c, tap, NULL));
	}
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 7); /* by itself: it is not released */
	CHECK(drain(&c, NULL) == 0, "root's program fires");
	close_client(&c);
}

/* A firing that is deferred to the end of an exec would run in root's program. */
static void put_off_to_an_exec(void)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_VAR, 4, 0, 0, SONDE_DIF_VAR_EUID },
		{ SONDE_DIF_CAPW, 0, 4, 0, 0 },
		{ SONDE_DIF_LI, 0, 0, 0, 0x10000 }, /* no memory is there */
		{ SONDE_DIF_LI, 1, 0, 0, 8 },
		{ SONDE_DIF_CAPMEM, 1, 0, 1, 8 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_WORD, SONDE_SLOT_BYTES };
	struct child child;
	uint64_t seen;

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, become_victim);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 2, kinds));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_execve));
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 7);
	of_root = 0;
	seen = drain(&c, count_root);
	CHECK(of_root == 0, "%lu records of root's program", of_root);
	CHECK(seen + all_drops(&c) == 1, "%lu records, %lu drops", seen,
	      all_drops(&c));
	close_client(&c);
}

static pid_t foreign;

static void count_foreign(const struct sonde_record *r)
{
	if ((pid_t)r->pid != foreign || r->slot[0] != 65534)
		of_root++;
}

/* An ignored timer signal is sent in the interrupt of any thread; it belongs to its receiver. */
static void timers_are_their_receivers(void)
{
	const struct itimerval once = { .it_value = { 0, 1000 } };

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, attach(&c, getpid()));
	load_nosy(&c, 1);
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SIGNAL_DISCARD, 0));
	go(&c);
	foreign = getpid();
	signal(SIGALRM, SIG_IGN);
	for (int n = 0; n < 100; n++) {
		setitimer(ITIMER_REAL, &once, NULL);
		usleep(3000);
	}
	of_root = 0;
	CHECK(drain(&c, count_foreign) >= 90, "not every signal is seen");
	CHECK(of_root == 0, "%lu records of others", of_root);
	close_client(&c);
}

static int end_undumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 0) ? 1 : 7;
}

static uint64_t faults, comms[2];

static void see_faults(const struct sonde_record *r)
{
	faults = r->faults;
}

static int end_readable(void)
{
	return 7;
}

/* A process that its member may not read shows nothing at its end either. */
static void at_the_end(unsigned int readable)
{
	static const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LI, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_FDPATH },
		{ SONDE_DIF_CAPTEXT, 1, 0, 0, SONDE_DIF_TEXT_CWD },
		{ SONDE_DIF_CAPTEXT, 2, 0, 0, SONDE_DIF_TEXT_EXEPATH },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT, SONDE_SLOT_TEXT,
					 SONDE_SLOT_TEXT };
	struct child child;

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, readable ? end_readable : end_undumpable);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 3, kinds));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_EXIT, 0));
	go(&c);
	open_gate(&child);
	CHECK_EXIT(&child, 7);
	CHECK(drain(&c, see_faults) == readable && faults == 0, "faults 0x%lx",
	      faults);
	close_client(&c);
}

static void both_ends(void)
{
	at_the_end(1);
	at_the_end(0);
}

static void see_names(const struct sonde_record *r)
{
	comms[0] = SONDE_SPAN_LENGTH(r->slot[0]);
	comms[1] = SONDE_SPAN_LENGTH(r->slot[1]);
}

/* A member gets only the names of his own processes. */
static void names_of_others(void)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_LI, 0, 0, 0, 1 },
		{ SONDE_DIF_CAPTEXT, 0, 0, 0, SONDE_DIF_TEXT_COMM },
		{ SONDE_DIF_LI, 0, 0, 0, getpid() },
		{ SONDE_DIF_CAPTEXT, 1, 0, 0, SONDE_DIF_TEXT_COMM },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT, SONDE_SLOT_TEXT };

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, attach(&c, getpid()));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 2, kinds));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	go(&c);
	syscall(SYS_getppid);
	CHECK(drain(&c, see_names) == 1 && comms[0] == 0 &&
		      comms[1] == strlen("device-member"),
	      "names of %lu and %lu bytes", comms[0], comms[1]);
	close_client(&c);
}

static __attribute__((noinline)) void probed(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Whether our code has a breakpoint. */
static int look_at_own_code(void)
{
	return *(const volatile uint8_t *)probed == 0xcc ? 5 : 6;
}

static const char *program;

static int become_program(void)
{
	execl(program, program, "look", NULL);
	return 8;
}

static uint64_t in_user, in_kernel;

static void see_where(const struct sonde_record *r)
{
	in_kernel += r->slot[0] != 0;
	in_user += r->slot[1] != 0;
}

/* With CAP_PERFMON only: no breakpoint in root's program, no address of the kernel. */
static void with_perfmon(void)
{
	static const struct sonde_dif_insn where[] = {
		{ SONDE_DIF_ARG, 0, 0, 0, 0 }, { SONDE_DIF_CAPW, 0, 0, 0, 0 },
		{ SONDE_DIF_ARG, 0, 0, 0, 1 }, { SONDE_DIF_CAPW, 1, 0, 0, 0 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const char *const programs[] = { PLAIN, VICTIM };
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_ENTRY, probed, path);
	struct child child;

	GRANTED(&c, open_session(&c, 65536));
	GRANTED(&c, attach(&c, getpid()));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	GRANTED(&c, load_words(&c, 2, INSNS(word0), 1));
	GRANTED(&c, load_words(&c, 3, INSNS(where), 2));
	for (uint32_t n = 0; n < 2; n++)
		GRANTED(&c, arm(&c, n + 1, tap, programs[n]));
	go(&c);
	for (uint32_t n = 0; n < 2; n++) { /* children of a target */
		program = programs[n];
		child = start_child(&c, become_program);
		open_gate(&child);
		CHECK_EXIT(&child, n ? 6 : 5);
	}
	drain(&c, NULL);
	GRANTED(&c, arm(&c, 3, (struct sonde_tap){ .kind = SONDE_TAP_PROFILE,
						   .offset = 1000000 }, NULL));
	for (uint64_t end = now() + SECOND; now() < end;)
		for (int n = 0; n < 1000; n++)
			syscall(SYS_getppid);
	CHECK(drain(&c, see_where) > 0 && in_user > 0, "no sample of user code");
	CHECK(in_kernel == 0, "%lu addresses of the kernel's", in_kernel);
	close_client(&c);
}

/* Keeps one of all capabilities. */
static void keep_perfmon(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = {};

	caps[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
	caps[CAP_PERFMON / 32].effective = 1u << CAP_PERFMON % 32;
	if (syscall(SYS_capset, &head, caps))
		_exit(4);
	prctl(PR_SET_DUMPABLE, 1);
}

static void as_perfmon(void)
{
	keep_perfmon();
	with_perfmon();
}

/* Root can disarm all kprobes. It writes to debugfs; the member waits for that. */
static volatile int *disarmed;

static void without_kprobes(void)
{
	struct child early, late_one;
	char text[4096] = "";

	GRANTED(&c, open_session(&c, 4096));
	early = start_child(&c, become_victim);
	late_one = start_child(&c, become_victim);
	GRANTED(&c, attach(&c, early.pid));
	go(&c);
	*disarmed = -1; /* now, please */
	CHECK(SOON(*disarmed == 1), "kprobes are not disarmed");
	CHECK(attach(&c, late_one.pid) == -EOPNOTSUPP,
	      "attached where images are not reported: %s", c.last.reply.why);
	open_gate(&early);
	CHECK(SOON(is_of_root(early.pid)), "it is not root's");
	CHECK(ask(&c, SONDE_FOLLOW, 0, early.pid) == -ESRCH,
	      "root's program is a target");
	CHECK(events(SONDE_EVENT_NOTICE, early.pid, text) == 1 &&
		      strstr(text, "not traced any more"), "it is not told: %s", text);
	CHECK_EXIT(&early, 7);
	kill(late_one.pid, SIGKILL);
	CHECK_KILLED(&late_one);
	close_client(&c);
}

static void disarm_when_asked(void)
{
	static const char command[] =
		"echo %d >/sys/kernel/debug/kprobes/enabled";
	char line[80];
	pid_t pid;

	disarmed = share(4096);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!SOON(*disarmed == -1))
			_exit(1);
		snprintf(line, sizeof(line), command, 0);
		*disarmed = system(line) ? 2 : 1;
		_exit(0);
	}
	as_member(without_kprobes);
	waitpid(pid, NULL, 0);
	snprintf(line, sizeof(line), command, 1);
	CHECK(system(line) == 0, "%s", line);
}

static void as_member(void (*part)(void))
{
	const gid_t group = GROUP;
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		failures = 0;
		if (setgroups(1, &group) ||
		    prctl(PR_SET_KEEPCAPS, part == as_perfmon))
			_exit(2);
		drop_root();
		part();
		fflush(stdout);
		_exit(failures != 0);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x of the member's part", status);
}

static int spin(void)
{
	for (uint64_t end = now() + 600 * SECOND; now() < end;)
		;
	return 0;
}

int main(int argc, char **argv)
{
	char line[512];
	struct child busy[2];

	if (argc == 2 && strcmp(argv[1], "victim") == 0)
		return victim();
	if (argc == 2 && strcmp(argv[1], "look") == 0)
		return look_at_own_code();
	if (argc == 2 && strcmp(argv[1], "sleeper") == 0)
		return sleep(600);
	(void)argv;
	snprintf(line, sizeof(line),
		 "cp /proc/%d/exe " VICTIM " && chown 0:0 " VICTIM " && chmod 4755 " VICTIM " && cp " VICTIM " " PLAIN " && chmod 755 " PLAIN,
		 getpid());
	CHECK(system(line) == 0 && chown("/dev/sonde", 0, GROUP) == 0 &&
		      chmod("/dev/sonde", 0660) == 0, "preparation");
	fflush(stdout);
	as_member(exec_is_a_border);
	as_member(addresses_stay_secret);
	as_member(not_held_behind_an_exec);
	as_member(attach_beside_exec);
	as_member(both_ends);
	as_member(names_of_others);
	disarm_when_asked();
	as_member(as_perfmon);
	for (int direct = 0; direct < 2; direct++) {
		snprintf(line, sizeof(line),
			 "echo %c >/sys/module/sonde/parameters/direct_calls",
			 "NY"[direct]);
		CHECK(system(line) == 0, "%s", line);
		as_member(put_off_to_an_exec);
	}
	c.fd = -1;
	for (int n = 0; n < 2; n++) { /* processes of root, on each CPU */
		busy[n] = start_child(&c, spin);
		open_gate(&busy[n]);
	}
	as_member(timers_are_their_receivers);
	for (int n = 0; n < 2; n++) {
		kill(busy[n].pid, SIGKILL);
		CHECK_KILLED(&busy[n]);
	}
	CHECK(chown("/dev/sonde", 0, 0) == 0 && unlink(VICTIM) == 0 &&
		      unlink(PLAIN) == 0, "clean up");
	return verdict("member");
}
