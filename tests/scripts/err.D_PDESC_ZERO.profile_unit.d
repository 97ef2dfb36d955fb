profile-10furlongs { trace(1); }
/* @rows: prov.profile_bad */
