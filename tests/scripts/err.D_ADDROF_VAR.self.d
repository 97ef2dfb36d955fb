BEGIN
{
	self->x = 1;
	p = &self->x;
}
