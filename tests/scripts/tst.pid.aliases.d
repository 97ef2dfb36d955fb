/* @rows: pid.one_name */
/* @program: aliases -O1 */
/* @sonde: -q -c @program@ */
/* A function has one name, by whichever it is asked for: that of a symbol others can call, with fewer underscores. */
pid$target:a.out:__twice:entry, pid$target:a.out:hid:entry { printf("%s ", probefunc); }
pid$target:a.out:twice:entry { @ = count(); }
