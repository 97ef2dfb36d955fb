/* @rows: var.initial_zero var.initial_string var.global_declared var.self_declared var.assoc_declared */
/* @sonde: -q */
/* everything is zero at first */
int g;
this int t;
self int s;
string text;
self string text;
int a[string, int];

BEGIN
{
	printf("%d %d %d\n", g, this->t, self->s);
	printf("[%s] %d\n", text, text == "");
	printf("%d %d\n", a["x", 1], self->text == NULL);
	exit(0);
}
