/* @sonde: -c true */
pid$target:libc.so.6:__restore_rt:0 { }
