/* @sonde: -q -c "sh -c 'exit 0'" */
/* @rows: bv.cgroupid bv.cgroup bv.container */
/* The program is in the cgroup of sonde. Its path begins with a /, if there is a hierarchy. A key is all three. */
BEGIN { own = cgroupid; path = cgroup; inside = container; }
syscall::exit_group:entry
{
	printf("%d %d %d %d\n", cgroupid == own, cgroup == path, container == inside,
	    cgroup == "" || substr(cgroup, 0, 1) == "/");
	@[cgroupid, cgroup, container] = count();
}
syscall::exit_group:entry /cgroup == "no such cgroup" || container == "no such container"/ { printf("wrong\n"); }
END { printa("%@d\n", @); }
