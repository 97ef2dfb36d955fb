/* @rows: fun.rand */
/* @sonde: -q */
/* random numbers differ */
BEGIN
{
	this->a = rand();
	this->b = rand();
	this->c = rand();
	printf("%d\n", this->a != this->b || this->b != this->c);
	exit(0);
}
