profile-5001 { trace(1); }
/* @rows: prov.profile_bad */
