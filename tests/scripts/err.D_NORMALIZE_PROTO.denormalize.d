BEGIN { @a = count(); denormalize(@a, 3); }
