#pragma D binding "1.0" nothing

BEGIN
{
}

/* @rows: pragma.binding */
