#pragma D option quiet destructive

BEGIN
{
}

/* @rows: pragma.option_extra */
