BEGIN
{
	self->count_of = 1;
	trace(count_of);
}
