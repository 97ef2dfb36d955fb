#!/usr/sbin/dtrace -s
/* Memory that was taken and not given back. */
#pragma D option quiet
#pragma D option dynvarsize=8m

pid$target::malloc:entry
/arg0 > 2000/
{
	self->size = arg0;
}
pid$target::malloc:return
/self->size/
{
	size[arg1] = self->size;
	@held = sum(self->size);
	self->size = 0;
}
pid$target::free:entry
/size[arg0]/
{
	@held = sum(-size[arg0]);
	@freed = count();
	size[arg0] = 0;
}
END
{
	printa("freed %@d times\n", @freed);
	printa("not freed: %@d bytes\n", @held);
}
