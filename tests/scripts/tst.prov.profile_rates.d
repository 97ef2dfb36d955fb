/* @rows: prov.profile */
/* @sonde: -q -w -c "/bin/sh tst.prov.profile.sh" */
/* two rates at once, each with a probe of its own; a sleeper would never be sampled */
int slow; int fast; int both;

profile-97hz { slow++; }
profile-5ms { fast++; }
profile-97hz, profile-5ms /slow >= 3 && fast >= 3/ { both = 1; raise(SIGKILL); }
END { printf("%d\n", both); }
