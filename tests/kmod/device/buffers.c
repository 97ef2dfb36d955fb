// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: changes of size while recording, policies, CPUs that come up and go
 * down; and the list of sessions
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"

static struct client c;
/* The first argument of a call is its number. */
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

/* A child that makes `calls` calls on a CPU (-1: any) after the gate opens. */
static struct child start(int cpu, uint64_t calls)
{
	struct child child = fork_child(&c);

	if (child.pid)
		return child;
	await_gate(&child);
	if (cpu >= 0)
		pin(cpu);
	for (uint64_t n = 0; n < calls; n++)
		syscall(SYS_getppid, n);
	_exit(0);
}

static void run(const struct child *child)
{
	open_gate(child);
	CHECK_EXIT(child, 0);
}

/* A session that traces such a child. */
static struct child begin(uint64_t bytes, uint32_t policy, int cpu,
			  uint64_t calls)
{
	struct child child;

	GRANTED(&c, open_client(&c));
	GRANTED(&c, make_policy(&c, bytes, policy));
	GRANTED(&c, load_words(&c, 1, INSNS(word0), 1));
	clear();
	child = start(cpu, calls);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, arm_kind(&c, 1, SONDE_TAP_SYSCALL_ENTRY, SYS_getppid));
	go(&c);
	return child;
}

/* Another child of the session. */
static void run_another(int cpu, uint64_t calls)
{
	struct child child = start(cpu, calls);

	GRANTED(&c, attach(&c, child.pid));
	run(&child);
}

/* Every call is in a ring, the old one or the new one, or counted as a drop. */
static void resize(void)
{
	const uint64_t calls = 200000, sizes[] = { 8192, 1 << 20, 4096, 65536 };
	uint64_t dropped = 0, records = 0;
	struct child child;
	int turn = 0, status;

	child = begin(65536, SONDE_POLICY_SWITCH, -1, calls);
	open_gate(&child);
	while (waitpid(child.pid, &status, WNOHANG) == 0) {
		struct client old = c;

		records += drain(&c, NULL);
		if (make_buffers(&c, sizes[turn++ % 4])) {
			CHECK(0, "resize: %s", c.last.reply.why);
			break;
		}
		/* calls since then may be in the old rings */
		records += drain(&old, NULL);
		dropped += drops(&old);
		unmap_rings(&old);
		usleep(2000);
	}
	close(child.gate);
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
	struct child child = begin(16384, SONDE_POLICY_FILL, 0, calls);

	run(&child);
	drain(&c, see);
	CHECK(count > 0 && first == 0 && gaps == 0, "fill: first %lu, %lu gaps",
	      first, gaps);
	CHECK(count + drops(&c) == calls, "fill: %lu + %lu", count, drops(&c));
	/* there is room again, but policy fill does not resume */
	run_another(0, 100);
	CHECK(drain(&c, NULL) == 0, "a full buffer took a record");
	CHECK(count + drops(&c) == calls + 100, "fill: %lu + %lu", count,
	      drops(&c));
	close_client(&c);

	child = begin(16384, SONDE_POLICY_RING, 0, calls);
	run(&child);
	drain(&c, see);
	CHECK(last == calls - 1 && gaps == 0 && drops(&c) == 0,
	      "ring: last %lu, %lu gaps, %lu drops", last, gaps, drops(&c));
	/* as many of the latest as fit, except for a 64th and a rest */
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

/* The number of rings in an event about rings, or 0. */
static uint32_t rings_event(void)
{
	char bytes[8192];
	struct sonde_event *event = (void *)bytes;

	return read(c.fd, bytes, sizeof(bytes)) > 0 &&
	       event->kind == SONDE_EVENT_RINGS ? event->value : 0;
}

static void hotplug(void)
{
	const uint64_t calls = 1000;
	struct child child;
	uint32_t rings = 0;

	if (set_online(0)) {
		printf("buffers: one CPU: none can come or go\n");
		return;
	}
	child = begin(1 << 20, SONDE_POLICY_SWITCH, 1, calls);
	CHECK(set_online(1) == 0, "online");
	CHECK(SOON((rings = rings_event())) && rings == c.rings + 1, "%u rings",
	      rings);
	run(&child);
	CHECK(map_ring_of(&c, rings - 1, 1 << 20) == 0, "map: %d", errno);
	CHECK(set_online(0) == 0, "offline");
	drain(&c, see);
	CHECK(count == calls && on_cpu1 == calls && drops(&c) == 0,
	      "%lu records, %lu on the CPU, %lu drops", count, on_cpu1,
	      drops(&c));
	CHECK(set_online(1) == 0, "online again");
	clear();
	run_another(1, calls);
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
	GRANTED(client, request(client, SONDE_SESSIONS, 0, 0, NULL, 0, infos,
				64 * sizeof(*infos)));
	return client->last.reply.value;
}

static void not_root(void)
{
	struct sonde_session_info infos[64];
	struct client own;
	uint64_t number;

	drop_root();
	GRANTED(&own, open_client(&own));
	number = list(&own, infos);
	CHECK(number == 1 && infos[0].uid == 65534, "%lu sessions, uid %u",
	      number, infos[0].uid);
}

static void sessions(void)
{
	struct sonde_session_info infos[64];
	const struct sonde_session_info *info;
	struct client other;
	struct child child;
	uint64_t number;

	child = begin(8192, SONDE_POLICY_SWITCH, 0, 100);
	GRANTED(&other, open_client(&other));
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
	run(&child);
	number = list(&other, infos);
	info = find(infos, number, 1);
	CHECK(info && info->records + info->drops == 100, "%lu + %lu",
	      info ? info->records : 0, info ? info->drops : 0);
	close_client(&c);
	number = list(&other, infos);
	CHECK(number == 1, "%lu sessions when one is closed", number);
	CHECK(chmod("/dev/sonde", 0666) == 0, "chmod");
	run_apart(not_root);
	chmod("/dev/sonde", 0660);
	close_client(&other);
}

int main(void)
{
	resize();
	policies();
	hotplug();
	sessions();
	return verdict("buffers");
}
