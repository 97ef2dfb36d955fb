#pragma D depends_on library procfs.d
BEGIN { }
/* @rows: pragma.depends_on */
