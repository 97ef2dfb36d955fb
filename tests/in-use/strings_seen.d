/* The strings that a function is given. */
pid$target:a.out:say:entry
{
	@[copyinstr(arg0)] = count();
}
