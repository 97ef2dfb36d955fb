#include <stdio.h>
BEGIN { }
/* @rows: ctl.invalid */
