BEGIN { trace(*alloca(8)); }
