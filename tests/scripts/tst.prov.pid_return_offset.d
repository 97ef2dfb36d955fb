/* @rows: prov.pid_return_offset */
/* @sonde: -q -c @program@ */
/* @program: structs -O0 -fcf-protection=none */
/* arg0 of a return is the offset of the instruction that it returns by, where the function has one; its last is that of nothing() */
pid$target:a.out:nothing:
/probename != "return" && probename != "entry"/
{
	last = probename;
}

pid$target:a.out:nothing:return
{
	returned = arg0;
}

END
{
	printf("%d\n", returned > 0);
	printf("%d\n", strjoin("", lltostr(returned, 16)) == strjoin("0x", last));
}
