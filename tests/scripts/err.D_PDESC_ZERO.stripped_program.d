/* @sonde: -c @program@ */
/* @program: structs -O2 -s */
pid*:*:frobnicate:entry { }
