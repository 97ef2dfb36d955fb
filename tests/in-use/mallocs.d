/* The sizes that a program asks malloc() for. */
pid$target:libc:malloc:entry
/arg0 >= 1000/
{
	@sizes = quantize(arg0);
	@bytes = sum(arg0);
	@calls = count();
}
END { printa("%@d calls, %@d bytes\n", @calls, @bytes); }
