# The words of the line up to the cursor, as blanks separate them: readline
# splits them at = and : as well.
_tbufctl_words() {
	local rest=$COMP_LINE word i

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i > 0)) && [[ $rest != [[:blank:]]* ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
		rest=${rest#"${rest%%[![:blank:]]*}"}
		rest=${rest#"$word"}
	done
}

_tbufctl_pids() {
	local process

	for process in /proc/[1-9]*; do
		[[ ! -O $process ]] || echo "${process#/proc/}"
	done
}

# Prints "ID PROVIDER MODULE FUNCTION NAME" for each probe of the processes and
# files in the line.  A command of -c is not run.
_tbufctl_probes() {
	local -a of=()
	local i

	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		-p | --read | --core | --object)
			of+=("${words[i]}" "${words[i + 1]}")
			;;
		-p* | --read=* | --core=* | --object=*)
			of+=("${words[i]}")
			;;
		esac
	done
	"${words[0]}" -l "${of[@]}" 2>/dev/null |
	    awk 'NF == 5 && $1 ~ /^[0-9]+$/'
}

# Prints descriptions that begin with $2, up to the next colon: those of
# [[[provider:]module:]function:]name for -n.
_tbufctl_descriptions() {
	_tbufctl_probes | awk -v option="$1" -v given="$2" '
	BEGIN {
		fields = index("Pmfn", substr(option, 2, 1))
		n = split(given, part, ":")
		if (n == 0)
			n = 1
	}
	function add(text) {
		if (index(text, given) == 1 && !(text in seen)) {
			seen[text]
			print text
		}
	}
	{
		if (n == 1)
			add($(fields + 1))
		if (n > fields)
			next
		text = ""
		for (i = 1; i < n; i++) {
			if (part[i] != "" && part[i] != $(i + 1))
				next
			text = text part[i] ":"
		}
		add(text $(n + 1) (n < fields ? ":" : ""))
	}'
}

# Prints the values of an option that begin with $2, and sets `filenames' for
# those that are names of files.
_tbufctl_value() {
	local option=$1 value=$2 word before

	case $option in
	-P | -m | -f | -n)
		_tbufctl_descriptions "$option" "$value"
		return
		;;
	-i)
		compgen -W "$(_tbufctl_probes | awk '{ print $1 }')" -- "$value"
		return
		;;
	-x)
		word=${value%%=*}
		if [[ $value != *=* ]]; then
			compgen -W "${_tbufctl_values[-x]}" -- "$value"
		elif [[ $word == usdt || $word == pidobject ]]; then
			compgen -f -P "$word=" -- "${value#*=}"
		else
			compgen -P "$word=" -W "${_tbufctl_values[-x $word]}" \
			    -- "${value#*=}"
		fi
		return
		;;
	--with)
		before=${value%"${value##*,}"}
		compgen -P "$before" -W "${_tbufctl_values[--with]}" \
		    -- "${value##*,}"
		return
		;;
	esac
	for word in ${_tbufctl_values[$option]}; do
		case $word in
		file | script)
			compgen -f -- "$value"
			;;
		dir)
			compgen -d -- "$value"
			;;
		pid)
			compgen -W "$(_tbufctl_pids)" -- "$value"
			;;
		command)
			compgen -c -- "$value"
			;;
		size | interval | setting | name | core | provider-file)
			;;
		*)
			compgen -W "$word" -- "$value"
			;;
		esac
	done
}

_tbufctl() {
	local -a words
	local current previous='' kept option='' prefix=''

	_tbufctl_words
	current=${words[${#words[@]} - 1]}
	((${#words[@]} < 2)) || previous=${words[${#words[@]} - 2]}
	# Readline keeps the part before a quote, else up to the last = or :.
	case $current in
	*[\'\"]*)
		kept=${current%%[\'\"]*}
		current=$kept${current:${#kept} + 1}
		;;
	*)
		kept=${current%"${current##*[=:]}"}
		[[ $COMP_WORDBREAKS == *=*:* || $COMP_WORDBREAKS == *:*=* ]] ||
		    kept=
		;;
	esac
	if [[ $previous == -* && -n ${_tbufctl_values[$previous]+set} &&
	    " $_tbufctl_long " != *" $previous "* ]]; then
		option=$previous
	elif [[ $current == --*=* ]]; then
		option=${current%%=*}
		prefix=$option=
	elif [[ $current == -[a-zA-Z]?* &&
	    -n ${_tbufctl_values[${current:0:2}]+set} ]]; then
		option=${current:0:2}
		prefix=$option
	fi
	if [[ -n $option ]]; then
		mapfile -t COMPREPLY < <(_tbufctl_value "$option" \
		    "${current:${#prefix}}")
		COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
		case " ${_tbufctl_values[$option]-} " in
		*' file '* | *' dir '* | *' script '*)
			compopt -o filenames 2>/dev/null
			;;
		esac
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
		    "$_tbufctl_options $_tbufctl_long" -- "$current")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames 2>/dev/null
	fi
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
	# More follows an = or a colon.
	case ${COMPREPLY[0]-} in
	*[=:])
		compopt -o nospace 2>/dev/null
		;;
	esac
}

complete -F _tbufctl tbufctl
