#!/usr/sbin/dtrace -Zs
/* Elapsed time of Python's functions: how often, inclusive, and exclusive of what they call. */
#pragma D option quiet

python$target:::function-entry
{
	self->depth++;
	self->exclude[self->depth] = 0;
	self->began[self->depth] = timestamp;
}

python$target:::function-return
/self->began[self->depth]/
{
	this->incl = timestamp - self->began[self->depth];
	this->excl = this->incl - self->exclude[self->depth];
	self->began[self->depth] = 0;
	self->exclude[self->depth] = 0;
	this->name = copyinstr(arg1);

	@num[this->name] = count();
	@incl[this->name] = sum(this->incl / 1000);
	@excl[this->name] = sum(this->excl / 1000);

	self->depth--;
	self->exclude[self->depth] += this->incl;
}

dtrace:::END
{
	printa("%-20s %@8d %@12d %@12d\n", @num, @incl, @excl);
}
