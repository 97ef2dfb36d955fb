BEGIN::read:entry { trace(1); }
/* @rows: prog.normalised */
