/* @sonde: -q */
/* @rows: bv.own */
/* Assigned ones, which the first assignment makes. */
BEGIN { vpid = 42; cgroup = "x"; pidns++; container[1, "k"] = 2; cgroupid = vpid; }
BEGIN /cgroup == "x"/ { printf("%d %s %d %d %d\n", vpid, cgroup, pidns, container[1, "k"], cgroupid); exit(0); }
