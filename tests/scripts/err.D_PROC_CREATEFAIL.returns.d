/* @sonde: -c true */
pid$target:libc.so.6:abort:return { }
