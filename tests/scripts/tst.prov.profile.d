/* @rows: prov.profile prov.profile_args */
/* @sonde: -q -w -c "/bin/sh tst.prov.profile.sh" */
/* who computes is sampled, in its own process, at a user address, or at one of the kernel; so are its children */
int n; int wrong;

profile-199
{
	n++;
	wrong += (arg0 != 0) == (arg1 != 0) || (arg1 != 0 && arg1 != uregs[R_RIP]) || !progenyof($target);
	@stacks[ustack(3)] = count();
}

profile-199 /n >= 5/ { raise(SIGKILL); }
END { printf("%d %d\n", n >= 5, wrong); trunc(@stacks); }
