#!/usr/bin/env -S sonde -s
/*
 * How much is read and written through which descriptor, by file, and in what portions.
 *
 *   sonde -s fd-throughput.d -c 'cp /bin/ls /tmp/copy'
 */
#pragma D option quiet

syscall::read:entry,
syscall::write:entry,
syscall::pread64:entry,
syscall::pwrite64:entry
{
	self->fd = arg0;
	self->in = 1;
}

syscall::read:return,
syscall::write:return,
syscall::pread64:return,
syscall::pwrite64:return
/self->in && errno == 0/
{
	this->path = fds[self->fd].fi_pathname;
	@bytes[probefunc, self->fd, this->path] = sum(arg1);
	@calls[probefunc, self->fd, this->path] = count();
	@sizes[probefunc] = quantize(arg1);
}

syscall::read:return,
syscall::write:return,
syscall::pread64:return,
syscall::pwrite64:return
{
	self->in = 0;
	self->fd = 0;
}

END
{
	printf("%-9s %4s %-40s %12s %8s\n", "CALL", "FD", "FILE", "BYTES", "CALLS");
	printa("%-9s %4d %-40s %@12d %@8d\n", @bytes, @calls);
	printa("\nbytes a %s%@d", @sizes);
}
