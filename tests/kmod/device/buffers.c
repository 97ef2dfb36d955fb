// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: other sizes in the middle of a run, the policies, CPUs that come and
 * go; and the list of sessions
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "client.h"

#define TURNS 3000 /* of 10 ms */

/* The call's first argument: a number that counts. */
static const struct sonde_dif_insn word0[] = {
	{ SONDE_DIF_ARG, 0, 0, 0, 0 },
	{ SONDE_DIF_CAPW, 0, 0, 0, 0 },
	{ .op = SONDE_DIF_RECORD },
};

static struct client c;
static uint64_t count, first, last, gaps, on_cpu1;

static void see(const struct sonde_record *record)
{
	if (!count++)
		first = record->slot[0];
	else if (record->slot[0] != last + 1)
		gaps++;
	last = record->slot[0];
	on_cpu1 += record->cpu == 1;
}

static void clear(void)
{
	count = first = last = gaps = on_cpu1 = 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(3);
}

/* A child that makes `calls` calls on a CPU (-1: any) once the gate opens. */
static pid_t start(int cpu, uint64_t calls, int *gate)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		exit(2);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close_client(&c);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		if (cpu >= 0)
			pin(cpu);
		for (uint64_t n = 0; n < calls; n++)
			syscall(SYS_getppid, n);
		_exit(0);
	}
	close(ends[0]);
	*gate = ends[1];
	return pid;
}

static void open_gate(int gate)
{
	CHECK(write(gate, "x", 1) == 1, "gate");
	close(gate);
}

static void begin(uint64_t bytes, uint32_t policy)
{
	CHECK(open_client(&c) == 0, "open");
	CHECK(make_policy(&c, bytes, policy) == 0, "buffers: %s",
	      c.last.reply.why);
	CHECK(load_words(&c, 1, word0, 3, 1) == 0, "%s", c.last.reply.why);
	clear();
}

static void arm_calls(pid_t pid)
{
	struct sonde_tap tap = { .kind = SONDE_TAP_SYSCALL_ENTRY,
				 .number = SYS_getppid };

	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	CHECK(arm(&c, 1, tap, NULL) == 0, "arm: %s", c.last.reply.why);
	go(&c);
}

/* Every call is in a ring, the old one or the new one, or counted. */
static void resize(void)
{
	const uint64_t calls = 200000, sizes[] = { 8192, 1 << 20, 4096, 65536 };
	uint64_t dropped = 0, records = 0;
	int gate, turn = 0, status;
	pid_t pid;

	begin(65536, SONDE_POLICY_SWITCH);
	pid = start(-1, calls, &gate);
	arm_calls(pid);
	open_gate(gate);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct client old = c;

		records += drain(&c, NULL);
		if (make_buffers(&c, sizes[turn++ % 4])) {
			CHECK(0, "resize: %s", c.last.reply.why);
			break;
		}
		/* what came after our look, in the old ones */
		records += drain(&old, NULL);
		dropped += drops(&old);
		unmap_rings(&old);
		usleep(2000);
	}
	records += drain(&c, NULL);
	dropped += drops(&c);
	CHECK(turn > 1, "never resized");
	CHECK(records + dropped == calls, "%lu records + %lu drops", records,
	      dropped);
	close_client(&c);
}

static void policies(void)
{
	const uint64_t calls = 10000;
	int gate;
	pid_t pid;

	begin(16384, SONDE_POLICY_FILL);
	pid = start(0, calls, &gate);
	arm_calls(pid);
	open_gate(gate);
	waitpid(pid, NULL, 0);
	drain(&c, see);
	CHECK(count > 0 && first == 0 && gaps == 0, "fill: first %lu, %lu gaps",
	      first, gaps);
	CHECK(count + drops(&c) == calls, "fill: %lu + %lu", count, drops(&c));
	/* there is room again, but the buffers are full for good */
	pid = start(0, 100, &gate);
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	open_gate(gate);
	waitpid(pid, NULL, 0);
	CHECK(drain(&c, NULL) == 0, "a full buffer took a record");
	CHECK(count + drops(&c) == calls + 100, "fill: %lu + %lu", count,
	      drops(&c));
	close_client(&c);

	begin(16384, SONDE_POLICY_RING);
	pid = start(0, calls, &gate);
	arm_calls(pid);
	open_gate(gate);
	waitpid(pid, NULL, 0);
	drain(&c, see);
	CHECK(last == calls - 1 && gaps == 0 && drops(&c) == 0,
	      "ring: last %lu, %lu gaps, %lu drops", last, gaps, drops(&c));
	/* as much of the past as there is room for, but for a 64th and a rest */
	CHECK(count >= 16384 / 72 * 9 / 10, "ring: only %lu", count);
	close_client(&c);
}

static int set_online(int online)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu1/online", "w");

	if (!file)
		return -1;
	fprintf(file, "%d", online);
	return fclose(file);
}

static void hotplug(void)
{
	const uint64_t calls = 1000;
	char bytes[8192];
	struct sonde_event *event = (void *)bytes;
	uint32_t rings = 0;
	int gate;
	pid_t pid;

	if (set_online(0)) {
		printf("buffers: one CPU: none can come or go\n");
		return;
	}
	begin(1 << 20, SONDE_POLICY_SWITCH);
	pid = start(1, calls, &gate);
	arm_calls(pid);
	CHECK(set_online(1) == 0, "online");
	for (int turn = 0; turn < TURNS && !rings; turn++) {
		if (read(c.fd, bytes, sizeof(bytes)) > 0 &&
		    event->kind == SONDE_EVENT_RINGS)
			rings = event->value;
		else
			usleep(10000);
	}
	CHECK(rings == c.rings + 1, "%u rings", rings);
	open_gate(gate);
	waitpid(pid, NULL, 0);
	CHECK(map_ring_of(&c, rings - 1, 1 << 20) == 0, "map: %d", errno);
	CHECK(set_online(0) == 0, "offline");
	drain(&c, see);
	CHECK(count == calls && on_cpu1 == calls && drops(&c) == 0,
	      "%lu records, %lu on the CPU, %lu drops", count, on_cpu1,
	      drops(&c));
	CHECK(set_online(1) == 0, "online again");
	clear();
	pid = start(1, calls, &gate);
	CHECK(request(&c, SONDE_ATTACH, 0, pid, NULL, 0, NULL, 0) == 0,
	      "attach: %s", c.last.reply.why);
	open_gate(gate);
	waitpid(pid, NULL, 0);
	drain(&c, see);
	CHECK(count == calls, "%lu records when it is back", count);
	close_client(&c);
}

static const struct sonde_session_info *
find(const struct sonde_session_info *infos, uint64_t number, uint32_t programs)
{
	for (uint64_t n = 0; n < number; n++)
		if (infos[n].pid == (uint32_t)getpid() &&
		    infos[n].programs == programs)
			return &infos[n];
	return NULL;
}

static uint64_t list(struct client *client, struct sonde_session_info *infos)
{
	CHECK(request(client, SONDE_SESSIONS, 0, 0, NULL, 0, infos,
		      64 * sizeof(*infos)) == 0,
	      "list: %s", client->last.reply.why);
	return client->last.reply.value;
}

static void not_root(void)
{
	struct sonde_session_info infos[64];
	struct client own;
	uint64_t number;

	if (chmod("/dev/sonde", 0666) || setgid(65534) || setuid(65534))
		_exit(2);
	CHECK(open_client(&own) == 0, "open");
	number = list(&own, infos);
	CHECK(number == 1 && infos[0].uid == 65534, "%lu sessions, uid %u",
	      number, infos[0].uid);
	_exit(failures != 0);
}

static void sessions(void)
{
	struct sonde_session_info infos[64];
	const struct sonde_session_info *info;
	struct client other;
	uint64_t number;
	int gate, status;
	pid_t pid;

	begin(8192, SONDE_POLICY_SWITCH);
	pid = start(0, 100, &gate);
	arm_calls(pid);
	CHECK(open_client(&other) == 0, "open");
	number = list(&other, infos);
	CHECK(number == 2, "%lu sessions", number);
	info = find(infos, number, 0);
	CHECK(info && info->rings == 0 && info->taps == 0, "the empty one");
	info = find(infos, number, 1);
	CHECK(info && info->taps == 1 && info->ecbs == 1 &&
		      info->targets == 1 && info->ring_bytes == 8192 &&
		      info->rings == c.rings && info->uid == 0 &&
		      strcmp(info->command, "device-buffers") == 0,
	      "the other");
	open_gate(gate);
	waitpid(pid, NULL, 0);
	number = list(&other, infos);
	info = find(infos, number, 1);
	CHECK(info && info->records + info->drops == 100, "%lu + %lu",
	      info ? info->records : 0, info ? info->drops : 0);
	close_client(&c);
	number = list(&other, infos);
	CHECK(number == 1, "%lu sessions when one is closed", number);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		not_root();
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x", status);
	chmod("/dev/sonde", 0660);
	close_client(&other);
}

int main(void)
{
	resize();
	policies();
	hotplug();
	sessions();
	printf("buffers: %s\n", failures ? "FAILED" : "passed");
	return failures != 0;
}
