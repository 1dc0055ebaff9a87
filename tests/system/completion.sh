#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Completion for bash and zsh offers each option of the tables that tbufctl
# parses, values of --help, and probes of `tbufctl -l`.  bash's function is
# called as readline calls it; zsh's functions run with a compadd that prints.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${TBUF_TARGET:?}"
. "$top_srcdir/tests/lib/scratch.sh"
folder=$top_builddir/tbufctl/completion
export TBUF_DIR="$SCRATCH/run"
passed=0 failed=0
cd "$SCRATCH" || exit 1

# same WHAT: expects that the files `expected` and `got` are equal, not empty.
same() {
	if [ -s expected ] && diff -u expected got; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

# The options that --help shows, one on a line.
"$TBUFCTL" --help | grep -o '\(^\|[[ ]\)--*\(32\|64\|[a-zA-Z]\{1,\}\)' |
    tr -d '[ ' | sed '/^--/b
    /^-[0-9]/b
    s/^-//; s/./-&\n/g' | sed '/^$/d' | sort -u >options
grep -x -e --follow -e -n -e -64 options >got
printf '%s\n' --follow -64 -n | sort >expected
sort -o got got
same '--help has options'

command -v bash >/dev/null || { echo 'no bash'; exit 77; }
TBUF_OPTIONS='bufsize=64k,probes=tt:::' "$TBUF_TARGET" types &
wait $! || exit 1
record=$(echo "$TBUF_DIR"/tbuf.$!.*)
mkdir files
: >files/one.d
mkdir files/two
ln -s "$TBUFCTL" tbufctl

cat >complete.bash <<'END'
source "$1/tbufctl"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'

# try WORD ...: prints the completions of the last word, of a line with these.
# Readline makes words of their own of = and :, outside of quotes.
try() {
	local word
	COMP_LINE="$*"
	COMP_POINT=${#COMP_LINE}
	COMP_WORDS=()
	for word; do
		case $word in
		[\'\"]* | '')
			COMP_WORDS+=("$word")
			;;
		*)
			mapfile -t -O ${#COMP_WORDS[@]} COMP_WORDS \
			    < <(sed 's/[=:]\{1,\}/\n&\n/g; s/^\n//; s/\n$//' \
			    <<<"$word")
			;;
		esac
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_tbufctl
	echo "$* > ${COMPREPLY[*]}"
}

complete -p tbufctl
while read -r line; do
	eval "try $line"
done
END
complete_bash() {
	bash --norc complete.bash "$folder"
}

# Each option is completed to itself.
sed 's/.*/tbufctl &/' options | complete_bash | sed 1d >log
awk '$3 == ">" { for (i = 4; i <= NF; i++) { sub(/=$/, "", $i)
    if ($i == $2) print $2 } }' log | sort >got
cp options expected
same 'bash: all options'

# Inputs as words of the shell, and the completions.
cat >cases <<'END'
tbufctl --fo|--follow --format=
tbufctl --format=|text json log folded chrome perfetto otlp prometheus
tbufctl --format=j|json
tbufctl --format j|json
tbufctl -X ''|a c s t
tbufctl --units=s|stat
tbufctl --with=time,w|time,wall
tbufctl -x bufs|bufsize bufscope
tbufctl -xbufp|-xbufpolicy
tbufctl -x bufpolicy=|switch fill ring
tbufctl -xbufscope=t|thread
tbufctl -x ustackf|ustackframes
tbufctl -x pai|pair
tbufctl -x usdt=files/o|files/one.d
tbufctl -x pidob|pidobject
tbufctl -x pidobject=files/o|files/one.d
tbufctl -s files/o|files/one.d
tbufctl -L files/|files/two
tbufctl --read=files/o|files/one.d
tbufctl --read "'files/o"|files/one.d
tbufctl --left=r|remove
tbufctl files/o|files/one.d
tbufctl --set=|
tbufctl -b ''|
END
# Probes of a file.
cat >>cases <<END
$SCRATCH/tbufctl --read=$record -P t|tt
$SCRATCH/tbufctl --read=$record -n t|tt:
$SCRATCH/tbufctl --read=$record -n tt:|target:
$SCRATCH/tbufctl --read=$record -n tt:target:typ|types:
$SCRATCH/tbufctl --read=$record -n tt:::int|integers
$SCRATCH/tbufctl --read=$record -n integ|integers
$SCRATCH/tbufctl --read $record -n "'tt:::int"|tt:::integers
$SCRATCH/tbufctl --read $record -n tt:::none-such|
$SCRATCH/tbufctl --read $record -m tt:targ|target
END
sed 's/.*|//' cases >expected
cut -d'|' -f1 cases | complete_bash | sed '1d; s/.* > //' >got
same 'bash: values'

# No word of the line is expanded: that would run it.
cat >cases <<'END'
tbufctl '$(touch${IFS}ran)' x
tbufctl -n '$(touch${IFS}ran)'
tbufctl '-$(touch${IFS}ran)' x
tbufctl -x '$(touch${IFS}ran)=x'
tbufctl -x 'a[$(touch${IFS}ran)]=x'
tbufctl '`touch${IFS}ran`' -p
tbufctl --read='$(touch${IFS}ran)' -n t
END
complete_bash <cases >/dev/null 2>&1
ls ran 2>/dev/null || echo 'nothing ran' >got
echo 'nothing ran' >expected
same 'bash: words are not expanded'

if ! command -v zsh >/dev/null; then
	echo 'no zsh: its completion is not tested'
	echo "$passed passed, $failed failed"
	exit "$failed"
fi

cat >complete.zsh <<'END'
fpath=("$1")
autoload -Uz _tbufctl
_arguments() {
	specs=("$@")
	[[ -z $option ]] || _tbufctl_argument $option
}
compadd() {
	[[ $1 != -q ]] || added+=("then $3")
	[[ $argv[-2] != -a ]] || set -- ${(P)argv[-1]}
	[[ $1 != -- ]] || shift
	added+=("$@")
}
compset() {
	[[ $2 == 1 && $PREFIX == *=* ]] || return 1
	IPREFIX=${PREFIX%%=*}=
	PREFIX=${PREFIX#*=}
}
_files() {
	added+=("files${1+ $1}")
}
_pids() {
	added+=(pids)
}

# try OPTION PREFIX: prints the words that it adds.
try() {
	option=$1 PREFIX=$2 IPREFIX=
	added=()
	_tbufctl
	print -r -- "$1 $2 > $added"
}

words=("$2" --read="$3" last)
option=
_tbufctl
print -lr -- $specs >specs
try --format ''
try -X ''
try -x bufscope=
try -x bufsco
try -x pidobject=
try -o ''
try -L ''
try --read ''
try --report ''
try --units ''
try --with ''
try -b ''
try -P t
try -n tt:
try -n tt:target:types:int
try -n tt:::no
END
zsh -f complete.zsh "$folder" "$TBUFCTL" "$record" 2>&1 |
    sed 's/ > then = .* bufscope .*/ > then = bufscope/' >got
cat >expected <<'END'
--format  > text json log folded chrome perfetto otlp prometheus
-X  > a c s t
-x bufscope= > cpu thread
-x bufsco > then = bufscope
-x pidobject= > files
-o  > files
-L  > files -/
--read  > files pids
--report  > files
--units  > pids hung stat
--with  > time wall date delta elapsed pid tid cpu name execname
-b  > 
END
head -n "$(wc -l <expected)" got >first
tail -n +"$(($(wc -l <expected) + 1))" got >rest
mv first got
same 'zsh: values'
sed -n 's/^-P t > tt$/-P/p
    s/^-n tt: > .*tt:target:.*/-n part/p
    s/^-n .*:int > .*tt:target:types:integers.*/-n name/p
    s/^-n tt:::no > .*tt:::no_arguments.*/-n field/p' rest >got
printf '%s\n' -P '-n part' '-n name' '-n field' >expected
same 'zsh: probes'
sed -n 's/^\*\{0,1\}\(-[-A-Za-z0-9]*\).*/\1/p' specs | sort -u >got
cp options expected
same 'zsh: all options'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
