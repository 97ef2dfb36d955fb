/* @rows: prov.profile */
/* @sonde: -q -c "/bin/sh tst.prov.profile.sh" */
/* two rates at once, each with a probe of its own; a sleeper would never be sampled */
int slow; int fast;

profile-97hz { slow++; }
profile-5ms { fast++; }
profile-97hz, profile-5ms /slow >= 3 && fast >= 3/ { printf("both\n"); exit(0); }
