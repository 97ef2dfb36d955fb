#pragma D attributes Stable/Stable/Common
int x;

/* @rows: pragma.attributes */
