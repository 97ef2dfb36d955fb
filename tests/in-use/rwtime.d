#!/usr/sbin/dtrace -Cs
/* Time in read() and write(), with smallest, mean and largest. */
#define WATCHED syscall::read:entry, syscall::write:entry
#pragma D option quiet

WATCHED
/pid == $target/
{
	self->start[probefunc] = timestamp;
}

syscall::read:return, syscall::write:return
/self->start[probefunc]/
{
	this->elapsed = timestamp - self->start[probefunc];
	@calls[probefunc] = count();
	@least[probefunc] = min(this->elapsed);
	@mean[probefunc] = avg(this->elapsed);
	@most[probefunc] = max(this->elapsed);
	self->start[probefunc] = 0;
}

END
{
	printf("%-8s %6s %10s %10s %10s\n", "CALL", "COUNT", "MIN", "AVG", "MAX");
	printa("%-8s %@6d %@10d %@10d %@10d\n", @calls, @least, @mean, @most);
}
