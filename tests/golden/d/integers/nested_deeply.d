#pragma D option quiet

int v;
int a[8];
string s;

inline int f[int a] = a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+1))))))))))));

BEGIN
/pid+(pid+(pid+(pid+(pid+(pid+(pid+(pid+(pid+(pid+1))))))))) == 10 * pid + 1/
{
	v = 3;
	printf("%d\n", v+v*(v-v/(v+v%(v<<(v^(v|(v&(v+v*(v-v/(v+v%(v<<(v^(v|
	    (v&v))))))))))))));
	printf("%d\n",
	    v-(v-(v-(v-(v-(v-(v-(v-(v-(v-(v-(v-(v-1)))))))))))));
	v = 1;
	printf("%d\n", v>(v<(v==(v!=(v>=(v<=(v>(v<(v==(v!=(v>=(v<=(v>(v<(v==
	    (v!=(v>=(v<=v))))))))))))))))));
	printf("%d\n", v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^(v^^
	    v))))))))))))));
	a[3] = 4;
	a[4] = 5;
	a[5] = 3;
	printf("%d %d\n", *(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+*(a+
	    3))))))))))))), a[a[a[a[a[a[a[a[a[a[a[a[a[3]]]]]]]]]]]]]);
	printf("%d\n", f[v] + (f[v+1] + (f[v+(v+v)] + f[f[v]])));
	s = "abc";
	printf("%d\n", v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+strlen(strjoin(s,
	    strjoin(s, s))) + (s == "abc") + (v?v+1:v+2))))))))))));
	exit(0);
}
