/* @rows: fun.progenyof macro.target */
/* @sonde: -q -c "timeout 600 /bin/true" */
/* in a command's children $target is an ancestor */
syscall::exit_group:entry
/progenyof($target)/
{
	@ended[pid == $target ? "the command" : "a child"] = count();
}

syscall::exit_group:entry
/!progenyof($target)/
{
	printf("a stranger\n");
}

END
{
	printa("%s\n", @ended);
}
