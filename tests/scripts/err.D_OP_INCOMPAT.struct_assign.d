struct t { int x; };
struct u { int x; };
struct t a;
struct u b;

BEGIN
{
	a = b;
}

/* @rows: var.struct_assign */
