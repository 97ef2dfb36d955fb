#!/usr/sbin/dtrace -Zs
/* Ruby's methods as they are entered and left. It needs a TracePoint in the program. */
#pragma D option quiet

self int depth;

ruby$target:::method-entry
{
	printf("%*s-> %s#%s:%d\n", self->depth * 2, "", copyinstr(arg0), copyinstr(arg1), arg3);
	self->depth++;
}

ruby$target:::method-return
/self->depth/
{
	self->depth--;
	printf("%*s<- %s#%s\n", self->depth * 2, "", copyinstr(arg0), copyinstr(arg1));
}
