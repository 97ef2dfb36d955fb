BEGIN { x = progenyof(); }
/* @rows: fun.progenyof */
