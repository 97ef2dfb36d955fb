/* Each instruction of one function, counted. */
#pragma D option quiet
pid$target:a.out:leaf:
/probename != "entry" && probename != "return"/
{
	@[probename] = count();
}
