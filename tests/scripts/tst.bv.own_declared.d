/* @sonde: -q */
/* @rows: bv.own */
/* Names that scripts had for variables of their own: declared ones of any kind. */
int vpid;
string cgroup;
int container[string];
inline int pidns = 7;
self int cgroupid;
BEGIN
{
	vpid = 3;
	cgroup = "mine";
	container["a"] = 5;
	self->cgroupid = 11;
	printf("%d %s %d %d %d\n", vpid + 1, cgroup, container["a"], pidns, self->cgroupid);
	exit(0);
}
