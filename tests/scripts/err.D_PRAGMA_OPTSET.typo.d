#pragma D option quite
BEGIN { }
/* @rows: pragma.option */
