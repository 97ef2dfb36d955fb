#pragma D depends_on module nosuch

BEGIN
{
}

/* @rows: pragma.depends_on */
