/* @rows: prov.pid_entry prov.pid_return */
/* @sonde: -q -c 'expr length sonde' */
/* entry of a function of libc and its return, in pairs */
pid$target:libc*:setlocale:entry
{
	self->inside = 1;
	@in = count();
}

pid$target:libc*:setlocale:return
/self->inside/
{
	self->inside = 0;
	@out = count();
}

END
{
	printa("in %@d ", @in);
	printa("out %@d\n", @out);
}
