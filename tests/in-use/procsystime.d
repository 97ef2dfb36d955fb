#!/usr/sbin/dtrace -s
/* Where the time of a process goes, by system call: elapsed, on processor, calls. */
#pragma D option quiet

inline int OPT_ELAPSED = 1;
inline int OPT_CPU = 1;
inline int OPT_CALLS = 1;
inline int OPT_NOTHING = 0;

syscall:::entry
/pid == $target/
{
	self->start = timestamp;
	self->vstart = vtimestamp;
}

syscall:::return
/self->start/
{
	this->elapsed = timestamp - self->start;
	this->cpu = vtimestamp - self->vstart;
	OPT_ELAPSED ? @Elapsed[probefunc] = sum(this->elapsed) : 1;
	OPT_CPU ? @CPU[probefunc] = sum(this->cpu) : 1;
	OPT_CALLS ? @Counts[probefunc] = count() : 1;
	OPT_NOTHING ? @Nothing[probefunc, 3] = sum(nosuch) : 1;
	self->start = 0;
	self->vstart = 0;
}

dtrace:::END
{
	OPT_ELAPSED ? printf("Elapsed:\n") : 1;
	OPT_ELAPSED ? printa("%18s %@16d\n", @Elapsed) : 1;
	OPT_CPU ? printf("CPU:\n") : 1;
	OPT_CPU ? printa("%18s %@16d\n", @CPU) : 1;
	OPT_CALLS ? printf("Counts:\n") : 1;
	OPT_CALLS ? printa("%18s %@16d\n", @Counts) : 1;
}
