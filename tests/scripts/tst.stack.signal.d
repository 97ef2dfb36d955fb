/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: act.ustack */
/* From a signal handler the walk goes on in what was interrupted: raise() and main() lie below. */
pid$target:a.out:handler:entry { self->deep = ustackdepth; }
pid$target:a.out:main:entry { self->main = ustackdepth; }
pid$target:a.out:handler:entry { printf("%d\n", self->deep - self->main >= 3); ustack(1); }
