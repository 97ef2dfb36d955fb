/* @rows: warn.pragma */
/* @stderr: tst.warn.pragma.d:4:1: warning: this pragma is ignored: one of D begins with #pragma D */
/* A pragma of D's words without D; those of other families stay unmentioned. */
#pragma option quiet
#pragma once

BEGIN
{
	exit(0);
}
