/* @rows: fault.ERROR */
/* @sonde: -q */
/* @stderr: divide-by-zero */
/* ERROR fires where the fault is, once for each, and leaves the this-> variables of the firing alone */
int zero;
int faults;

BEGIN
{
	this->kept = 7;
	printf("%d\n", 1 / zero);
}

BEGIN
{
	this->name = "text";
	printf("%d\n", 2 % zero);
}

BEGIN
{
	printf("%d %s, %d faults\n", this->kept, this->name, faults);
	exit(0);
}

ERROR
{
	faults++;
	printf("fault %d of %d\n", faults, arg4);
}
