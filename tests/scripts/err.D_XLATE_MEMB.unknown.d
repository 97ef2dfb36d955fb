struct o { int a; }; translator struct o < int I > { b = I; };
