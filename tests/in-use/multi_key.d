/* Bytes by program and descriptor, in an array with two keys, told at the end. */
#pragma D option quiet
long written[string, int64_t];

syscall::write:entry
/pid == $target/
{
	self->fd = arg0;
}
syscall::write:return
/pid == $target && arg0 > 0/
{
	written[execname, self->fd] += arg0;
	times[execname, self->fd]++;
	last = self->fd;
}
END
{
	printf("fd %d: %d bytes in %d writes\n", last, written["deeds", last], times["deeds", last]);
	printf("fd %d: %d\n", 77, written["deeds", 77]);
}
