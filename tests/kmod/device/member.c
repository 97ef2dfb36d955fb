// SPDX-License-Identifier: GPL-2.0
/*
 * Who may open the device but has no privilege, a member of its group: what he
 * does not get of programs with privileges, and of the kernel
 *
 * The program copies itself to VICTIM, set-uid root. A child that is traced
 * becomes that.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "child.h"

#define GROUP 4242 /* stands for `tracing` */
#define VICTIM "/tmp/sonde-victim"

static struct client c;
static char secret[32]; /* at the same address in both, for the binary is static */

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

/* Euid, and what is at `secret`. */
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

/* Reads all events; how many of a kind are about a process, and the last text. */
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

/* Every kind of tap that needs no capability, on a child that becomes root's. */
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
	GRANTED(&c, attach(&c, getpid())); /* who gets the child's signals */
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
	CHECK(ask(&c, SONDE_STOP_TARGET, 0, child.pid) == -ESRCH,
	      "root's program is held");
	/* it tells its parent of a stop: that is sent by root's program */
	kill(child.pid, SIGSTOP);
	usleep(100000);
	kill(child.pid, SIGCONT);
	CHECK_EXIT(&child, 7);
	of_root = 0;
	CHECK(drain(&c, count_root) > 0, "nothing of the child before");
	CHECK(of_root == 0, "%lu records of root's program", of_root);
	close_client(&c);
}

/* MAPPED says where root's program lies: its children's, too. */
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
	close_client(&c);
}

/* What is put off to the end of an exec would run in root's program. */
static void put_off_to_an_exec(void)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_VAR, 4, 0, 0, SONDE_DIF_VAR_EUID },
		{ SONDE_DIF_CAPW, 0, 4, 0, 0 },
		{ SONDE_DIF_LI, 0, 0, 0, 0x10000 }, /* nothing is there */
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

/* An ignored timer signal is sent in whoever's interrupt; it is its receiver's. */
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

static void as_member(void (*part)(void))
{
	const gid_t group = GROUP;
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		failures = 0;
		if (setgroups(1, &group))
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
	for (uint64_t end = now() + 30 * SECOND; now() < end;)
		;
	return 0;
}

int main(int argc, char **argv)
{
	char line[512];
	struct child busy[2];

	if (argc == 2 && strcmp(argv[1], "victim") == 0)
		return victim();
	(void)argv;
	snprintf(line, sizeof(line),
		 "cp /proc/%d/exe " VICTIM " && chown 0:0 " VICTIM " && chmod 4755 " VICTIM,
		 getpid());
	CHECK(system(line) == 0 && chown("/dev/sonde", 0, GROUP) == 0 &&
		      chmod("/dev/sonde", 0660) == 0, "preparation");
	fflush(stdout);
	as_member(exec_is_a_border);
	as_member(addresses_stay_secret);
	for (int direct = 0; direct < 2; direct++) {
		snprintf(line, sizeof(line),
			 "echo %c >/sys/module/sonde/parameters/direct_calls",
			 "NY"[direct]);
		CHECK(system(line) == 0, "%s", line);
		as_member(put_off_to_an_exec);
	}
	c.fd = -1;
	for (int n = 0; n < 2; n++) { /* root's, on each CPU */
		busy[n] = start_child(&c, spin);
		open_gate(&busy[n]);
	}
	as_member(timers_are_their_receivers);
	for (int n = 0; n < 2; n++) {
		kill(busy[n].pid, SIGKILL);
		CHECK_KILLED(&busy[n]);
	}
	CHECK(chown("/dev/sonde", 0, 0) == 0 && unlink(VICTIM) == 0, "clean up");
	return verdict("member");
}
