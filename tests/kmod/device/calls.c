// SPDX-License-Identifier: GPL-3.0-or-later
// Makes getppid so many times: what a tracer must count.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}
