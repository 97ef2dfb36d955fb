/* @rows: var.this prov.ERROR */
/* @stderr: divide-by-zero */
/* What a clause assigned before it failed is there in ERROR. */
BEGIN
{
	this->x = 5;
	this->s = "text";
	z = 0;
	y = 1 / z;
}

ERROR
{
	printf("%d %s\n", this->x, this->s);
	exit(0);
}
