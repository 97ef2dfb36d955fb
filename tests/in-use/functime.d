/* Calls of one function, $$1: how many, how long at most, what they give. */
#pragma D option quiet
pid$target::$$1:entry
{
	self->ts = timestamp;
	self->arg = arg0;
}
pid$target::$$1:return
/self->ts/
{
	@calls = count();
	@longest = max(timestamp - self->ts);
	@last[self->arg] = sum(arg1);
	self->ts = 0;
	self->arg = 0;
}
END
{
	printa("calls %@d\n", @calls);
	printa("%d gives %@d\n", @last);
	printa("longest %@d ns\n", @longest);
}
