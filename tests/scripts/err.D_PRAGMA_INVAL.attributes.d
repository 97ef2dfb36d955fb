#pragma D attributes Stable/Certain/Common x
int x;

/* @rows: pragma.attributes */
