#!/usr/bin/env -S sonde -qs
/* SPDX-License-Identifier: MIT */
/* How long files wait, and how many. SPOOL=FOLDER sonde --provider=spool.so -qs waits.d */
spool:::leave { @waits["ns that files waited"] = quantize(args[0]->s_waited); @bytes = sum(args[0]->s_bytes); }
spool:::leave { @longest[args[1]] = max(args[0]->s_waited); }
spool:::depth { @most = max(args[0]->s_waiting); }
END { trunc(@longest, 3); printa("%-20s waited %@d ns\n", @longest); printa(@waits); printa("%@d bytes passed\n", @bytes); printa("at most %@d files waited\n", @most); }
