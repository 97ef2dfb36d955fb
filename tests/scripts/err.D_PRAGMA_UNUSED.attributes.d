#pragma D attributes Stable/Stable/Common nothing
int something;

/* @rows: pragma.attributes */
