/* @rows: opt.format */
/* @sonde: -q -x format=folded */
/* stacks that were counted, from the root, and nothing else; without the option what D prints */
BEGIN { trace("not shown"); @[stack(), "b;c"] = count(); @[stack(), "b;c"] = count(); @none["x"] = count(); exit(0); }
