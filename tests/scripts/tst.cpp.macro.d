/* @rows: cpp.macro_probe cmd.C */
/* @sonde: -C -q */
/* @arguments: 5 */
/* Macros stand for probes, clauses and values; $ passes through. */
#define START	BEGIN
#define SHOW(x)	printf("%d\n", x)
#define RATE	tick-100hz
#define TWICE(x)	((x) * 2)

START
{
	SHOW(TWICE($1 + 1));
}

RATE
{
	exit(0);
}
