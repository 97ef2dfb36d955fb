/* @rows: fmt.float type.floats */
/* a float is nothing but zero here */
float f; double d; long double l;
BEGIN
{
	printf("%f %e %g %.2f %E %G\n", d, d, d, d, d, d);
	printf("%f\n", f);
	printf("%Lf\n", l);
	exit(0);
}
