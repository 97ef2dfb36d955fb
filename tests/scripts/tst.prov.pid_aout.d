/* @rows: prov.pid_aout prov.pid_entry */
/* @sonde: -q -c 'bash -c :' */
/* a.out is the program itself, whatever it is called */
pid$target:a.out:main:entry
{
	@[probemod, probefunc, arg0] = count();
}

END
{
	printa("%s %s %d %@d\n", @);
}
