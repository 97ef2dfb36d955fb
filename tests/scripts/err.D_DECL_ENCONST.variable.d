enum e { A, B = pid };
