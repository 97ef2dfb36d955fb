/* no time at all */
tick-0ms
{
}

/* @rows: prov.profile_bad */
