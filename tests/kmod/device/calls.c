// SPDX-License-Identifier: GPL-3.0-or-later
// Calls getppid as often as its argument says: a tracer must count them.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}
