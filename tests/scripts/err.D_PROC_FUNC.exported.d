/* @sonde: -c @program@ */
/* @program: structs -O2 -s -rdynamic */
pid$target:a.out:zebra:entry { }
/* @rows: prov.pid_stripped */
