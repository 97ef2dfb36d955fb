/* How deep a function calls itself. */
#pragma D option quiet
int deepest;
pid$target:a.out:recurse:entry
{
	self->level++;
	deepest = self->level > deepest ? self->level : deepest;
}
pid$target:a.out:recurse:return
{
	@levels = lquantize(self->level, 0, 100, 10);
	self->level--;
}
END
{
	printf("deepest %d\n", deepest);
	printa(@levels);
}
