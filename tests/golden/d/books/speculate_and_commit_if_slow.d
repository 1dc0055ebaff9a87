#pragma D option quiet
#pragma D option nspec=2

BEGIN { self->a = speculation(); self->b = speculation(); }
BEGIN { speculate(self->a); printf("a: begin\n"); }
BEGIN { speculate(self->b); printf("b: begin\n"); }
BEGIN { speculate(self->a); printf("a: end\n"); }
BEGIN { discard(self->b); }
BEGIN { commit(self->a); self->a = self->b = 0; }
BEGIN { exit(0); }
