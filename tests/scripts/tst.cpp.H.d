/* @rows: cpp.H */
/* @command: -C -H -q -I include -s @script@ */
/* @stderr: include/answer.macros */
/* -H names what is included. */
#include "answer.macros"

BEGIN
{
	trace(ANSWER);
	exit(0);
}
