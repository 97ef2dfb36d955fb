#!/usr/sbin/dtrace -Cs
#include "withcpp.inc"
#define RATE tick-20ms
#define SHOW(what, how) printf(how, what)
#pragma D option quiet

BEGIN { SHOW(LIMIT, "limit %d\n"); }
syscall::getppid:entry
/++seen <= LIMIT/
{
	SHOW(seen, "call %d\n");
}
RATE { ticks++; }
END { SHOW(ticks > 0, "ticked: %d\n"); }
