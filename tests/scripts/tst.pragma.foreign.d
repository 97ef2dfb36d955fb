/* @rows: pragma.foreign */
/* Pragmas of other families are ignored. */
#pragma once
#pragma ident "x"
#pragma GCC poison y

BEGIN
{
	y = 5;
	trace(y);
	exit(0);
}
