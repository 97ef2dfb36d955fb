BEGIN, dtrace:::BEGINN
{
	trace(1);
}
