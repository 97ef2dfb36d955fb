#!/usr/sbin/dtrace -s
/* Functions with an indentation of their own. */
#pragma D option quiet
self int depth;

pid$target:a.out:outer:entry,
pid$target:a.out:middle:entry,
pid$target:a.out:leaf:entry
{
	printf("%3d %*s-> %s(%d)\n", self->depth, self->depth * 2, "", probefunc, arg0);
	self->depth++;
}

pid$target:a.out:outer:return,
pid$target:a.out:middle:return,
pid$target:a.out:leaf:return
{
	self->depth--;
	printf("%3d %*s<- %s = %d\n", self->depth, self->depth * 2, "", probefunc, (int)arg1);
}
