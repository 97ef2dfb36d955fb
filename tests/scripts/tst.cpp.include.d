/* @rows: cpp.I */
/* @sonde: -C -q -I include */
/* -I is where #include looks. */
#include "answer.macros"

BEGIN
{
	printf("%d %d\n", ANSWER, answer);
	exit(0);
}
