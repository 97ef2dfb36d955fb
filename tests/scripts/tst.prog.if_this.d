/* @rows: prog.if var.this */
/* What an arm assigns is there for the next clause. */
BEGIN
{
	if (1) { this->x = 5; this->s = "s"; } else { this->x = 6; this->s = "t"; }
}

BEGIN
{
	printf("%d %s\n", this->x, this->s);
	exit(0);
}
