#!/usr/sbin/sonde -qs
/* @rows: cmd.dollar0 cmd.interpreter */
/* $0 is the name of the script */
BEGIN
{
	printf("%s\n", $$0);
	exit(0);
}
