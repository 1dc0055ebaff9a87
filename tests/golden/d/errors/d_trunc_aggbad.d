BEGIN { trunc(@a[1]); }
