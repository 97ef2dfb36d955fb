/*
 * The types of args[n] are those of the probes. Where a description was refused, none is known: what a statement says of
 * such an argument is no mistake, whatever the statement is.
 */
syscall::opn:entry
/args[0]->mode == 1/
{
	trace(args[0]->name);
	@[args[1]->name] = sum(args[0]->size);
	this->first = args[0];
	printf("%s", args[2]);
	trace(this->first->next);
	trace(nobody);
}

io:::strt
{
	trace(args[0]->b_count);
}

sched:::on-cpuu
{
	trace(args[0]->pr_pid);
}

io:::start
{
	trace(args[0]->b_count);
}
