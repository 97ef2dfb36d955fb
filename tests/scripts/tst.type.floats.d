/* @rows: type.floats */
/* Floats have sizes, and print as zero. */
double f;

BEGIN
{
	printf("%d %d %d %f\n", sizeof (float), sizeof (double), sizeof (long double), f);
	exit(0);
}
