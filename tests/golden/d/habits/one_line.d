#pragma D option quiet

BEGIN{printf("%s\n",strjoin("one","line"));exit(0)}
