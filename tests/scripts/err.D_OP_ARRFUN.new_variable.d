int v[3];
BEGIN { q = v; }
/* @rows: type.array_decays */
