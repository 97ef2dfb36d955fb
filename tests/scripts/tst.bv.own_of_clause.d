/* @sonde: -q -c "sh -c 'exit 0'" */
/* @rows: bv.own */
/* Members of this-> and self-> are no globals: beside them the built-ins stay. One name that is the script's own leaves
   the others. */
syscall::exit_group:entry
{
	this->container = 5;
	self->cgroup = 6;
	cgroupid = 9;
	printf("%d %d %d %d\n", this->container, self->cgroup, cgroupid, vpid == pid);
	printf("%d\n", container == container && (cgroup == "" || substr(cgroup, 0, 1) == "/"));
}
