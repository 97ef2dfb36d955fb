sysinfo:::pgin { @ = count(); }
