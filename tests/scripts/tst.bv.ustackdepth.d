/* @program: frames -O2 -fomit-frame-pointer */
/* @sonde: -q -c @program@ */
/* @rows: bv.ustackdepth */
/* Each function is one frame deeper than the one that called it. */
pid$target:a.out:main:entry { self->main = ustackdepth; }
pid$target:a.out:first:entry, pid$target:a.out:second:entry, pid$target:a.out:third:entry, pid$target:a.out:variable:entry
{ printf("%s %d\n", probefunc, ustackdepth - self->main); }
