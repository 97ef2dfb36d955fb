#pragma D option version=9.0

BEGIN
{
}

/* @rows: pragma.option */
