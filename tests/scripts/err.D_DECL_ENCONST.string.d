enum e { A = "one" };
