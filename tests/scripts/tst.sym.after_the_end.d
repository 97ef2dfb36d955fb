/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: act.ustack */
/* The program has ended when END prints its stacks: the names are still known. */
pid$target:a.out:bottom:entry { @[ustack(1)] = count(); }
