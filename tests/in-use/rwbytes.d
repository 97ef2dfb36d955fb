#!/usr/sbin/dtrace -s
/* Bytes that are read and written, by file. */
#pragma D option quiet

syscall::read:entry, syscall::write:entry
/pid == $target/
{
	self->file = fds[arg0].fi_name;
	self->on = 1;
}

syscall::read:return
/self->on && (int)arg0 > 0/
{
	@in[self->file] = sum(arg0);
}

syscall::write:return
/self->on && (int)arg0 > 0/
{
	@out[self->file] = sum(arg0);
}

syscall::read:return, syscall::write:return
{
	self->on = 0;
	self->file = 0;
}

dtrace:::END
{
	printf("   %-20s %10s %10s\n", "FILE", "READ", "WRITTEN");
	printa("   %-20s %@10d %@10d\n", @in, @out);
}
