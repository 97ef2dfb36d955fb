#!/usr/sbin/dtrace -Zs
/* Python's calls and returns, indented by depth. */
#pragma D option quiet
#pragma D option switchrate=10

self int depth;

dtrace:::BEGIN
{
	printf("%3s %-16s -- %s\n", "C", "FILE:LINE", "FUNC");
}

python*:::function-entry
{
	printf("%3d %12s:%-4d %*s-> %s\n", 0, basename(copyinstr(arg0)), arg2, self->depth * 2, "", copyinstr(arg1));
	self->depth++;
}

python*:::function-return
{
	self->depth -= self->depth > 0 ? 1 : 0;
	printf("%3d %12s:%-4d %*s<- %s\n", 0, basename(copyinstr(arg0)), arg2, self->depth * 2, "", copyinstr(arg1));
}
