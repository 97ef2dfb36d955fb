/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: bv.ucaller */
/* The function that called, in code without frame pointers. */
pid$target:a.out:bottom:entry { @[ufunc(ucaller)] = count(); }
END { printa("%A %@d\n", @); }
