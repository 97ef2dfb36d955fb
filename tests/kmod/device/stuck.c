// SPDX-License-Identifier: GPL-2.0
/*
 * A traced process whose memory nobody brings (userfaultfd; a FUSE file does it
 * for everybody) keeps neither its tracer from ending nor us from saying why the
 * module cannot go
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "child.h"

static struct client c;
static char *page;

static __attribute__((noinline)) void function(const char *text)
{
	__asm__ volatile("" ::"r"(text) : "memory");
}

static int touch_nothing(int in_function)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register part = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	part.range.start = (uintptr_t)page;
	part.range.len = 4096;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &part))
		return 1;
	if (in_function)
		function(page);
	else
		syscall(SYS_getpgid, page);
	sleep(600);
	return 0;
}

static int in_call(void)
{
	return touch_nothing(0);
}

static int in_function(void)
{
	return touch_nothing(1);
}

/* Whether it sleeps and does not come back. */
static int is_stuck(pid_t pid)
{
	char name[64], where[200] = "";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/wchan", pid);
	file = fopen(name, "r");
	if (file) {
		if (!fgets(where, sizeof(where), file))
			where[0] = 0;
		fclose(file);
	}
	return strstr(where, "userfault") != NULL;
}

static void close_beside(int (*work)(void), struct sonde_tap tap,
			 const char *path)
{
	const struct sonde_dif_insn code[] = {
		{ SONDE_DIF_ARG, 0, 0, 0, 0 },
		{ SONDE_DIF_CAPSTR, 0, 0, 0, 64 },
		{ .op = SONDE_DIF_RECORD },
	};
	static const uint8_t kinds[] = { SONDE_SLOT_TEXT };
	struct child child;
	uint64_t began;
	int status;

	GRANTED(&c, open_session(&c, 65536));
	child = start_child(&c, work);
	GRANTED(&c, attach(&c, child.pid));
	GRANTED(&c, load_kinds(&c, 1, INSNS(code), 1, kinds));
	GRANTED(&c, arm(&c, 1, tap, path));
	go(&c);
	open_gate(&child);
	CHECK(SOON(is_stuck(child.pid)), "it does not wait for its memory");
	began = now();
	close_client(&c);
	CHECK(now() - began < 10 * SECOND, "the close took %lu ms",
	      (now() - began) / 1000000);
	status = syscall(SYS_delete_module, "sonde", O_NONBLOCK);
	CHECK(status == -1 && (errno == EBUSY || errno == EAGAIN || errno == EWOULDBLOCK),
	      "the module goes: %d %s", status, strerror(errno));
	kill(child.pid, SIGKILL);
	CHECK_KILLED(&child);
}

int main(void)
{
	char path[SONDE_PATH_MAX];
	struct sonde_tap tap = function_tap(SONDE_TAP_USER_ENTRY, function, path);

	close_beside(in_call, (struct sonde_tap){ .kind = SONDE_TAP_SYSCALL_ENTRY,
						  .number = SYS_getpgid }, NULL);
	close_beside(in_function, tap, path);
	return verdict("stuck");
}
