profile-0 { trace(1); }
/* @rows: prov.profile_bad */
