/* @sonde: -c @program@ */
/* @program: structs -O2 -s */
pid$target:a.out:visit:entry { }
/* @rows: prov.pid_stripped */
