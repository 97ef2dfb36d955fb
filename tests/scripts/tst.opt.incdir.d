/* @rows: opt.incdir opt.cpphdrs */
/* @sonde: -q -x cpp -x incdir=/nowhere -x incdir=include -x cpphdrs */
/* @stderr: include/answer.macros */
/* Directories of headers, as often as one likes; and which headers were read. */
#include "answer.macros"

BEGIN
{
	trace(answer);
	exit(0);
}
