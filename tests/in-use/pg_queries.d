#!/usr/sbin/dtrace -Zs
/* PostgreSQL's queries: text and time of each, rows of the slowest kind first. */
#pragma D option quiet

postgresql*:::query-start
{
	self->query = copyinstr(arg0);
	self->began = timestamp;
}

postgresql*:::query-done
/self->began/
{
	@count[self->query] = count();
	@time[self->query] = quantize(timestamp - self->began);
	self->query = 0;
	self->began = 0;
}

postgresql*:::transaction-commit
{
	@commits = count();
}

dtrace:::END
{
	printa("%s: %@d\n", @count);
	printa("commits: %@d\n", @commits);
}
