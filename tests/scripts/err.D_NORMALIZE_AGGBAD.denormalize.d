BEGIN { denormalize(@a); }
