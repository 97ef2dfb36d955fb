/* Stacks on the processor, for a flame graph. */
profile-499
/execname == "deeds"/
{
	@[ustack(5)] = count();
}
