signed string a;
