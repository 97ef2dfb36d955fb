profile::::tick-1sec { }
/* @rows: msg.overspecified */
