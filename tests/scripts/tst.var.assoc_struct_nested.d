/* @rows: var.assoc type.string */
/* ... with strings, arrays and structs inside. */
struct inner { int n[3]; };
struct outer { string name; struct inner in; };
struct outer v[string];

BEGIN
{
	v["k"].name = "name"; v["k"].in.n[2] = 3;
	w = v["k"].in;
	v["l"].in = w;
	printf("%s %d %d [%s]\n", v["k"].name, w.n[2], v["l"].in.n[2], v["l"].name);
	exit(0);
}
