BEGIN { printf("%x %d", 'steamers', sizeof ('steamers')); exit(0); }
