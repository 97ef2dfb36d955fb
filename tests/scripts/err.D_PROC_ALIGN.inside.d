/* @sonde: -c true */
pid$target:libc.so.6:malloc:1 { }
