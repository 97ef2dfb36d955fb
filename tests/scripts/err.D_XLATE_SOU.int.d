translator int < int I > { a = I; };
