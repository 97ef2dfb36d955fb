/* @rows: type.floats */
/* float and double may be declared and printed; there is no arithmetic. */
float f;
double d;
BEGIN { printf("%f %e %g\n", f, d, d); printf("%d %d\n", sizeof (float), sizeof (double)); exit(0); }
