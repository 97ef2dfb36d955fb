/* @rows: prog.empty_field */
/* Fields that are left out match anything. */
:::BEGIN { printf("1"); }
::BEGIN { printf("2"); }
:BEGIN { printf("3"); }
dtrace:::BEGIN { printf("4"); }
BEGIN { exit(0); }
