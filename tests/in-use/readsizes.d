/* How much the reads of a program give, as a distribution. */
syscall::read:return
/execname == $$1 && arg0 > 0/
{
	@["bytes"] = quantize(arg0);
}
