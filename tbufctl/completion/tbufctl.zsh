# Prints "ID PROVIDER MODULE FUNCTION NAME" for each probe of the processes and
# files in the line.  A command of -c is not run.
_tbufctl_probes() {
	local -a of
	local i

	for ((i = 2; i < $#words; i++)); do
		case $words[i] in
		(-p|--read|--core|--object)
			of+=("$words[i]" "${(Q)words[i + 1]}") ;;
		(-p*|--read=*|--core=*|--object=*)
			of+=("${(Q)words[i]}") ;;
		esac
	done
	"${(Q)words[1]}" -l $of 2>/dev/null | awk 'NF == 5 && $1 ~ /^[0-9]+$/'
}

# Adds descriptions up to the next colon.
_tbufctl_descriptions() {
	local order=Pmfn
	local -i fields=${order[(i)${1#-}]}
	local given=${(Q)PREFIX}
	local -a part found
	local -aU names more
	local row text i

	part=("${(@s.:.)given}")
	(( $#part <= fields )) || return 1
	for row in ${(f)"$(_tbufctl_probes)"}; do
		found=(${=row})
		[[ $#part -gt 1 ]] || names+=("$found[fields + 1]")
		text=
		for ((i = 1; i < $#part; i++)); do
			[[ -z $part[i] || $part[i] == "$found[i + 1]" ]] ||
			    continue 2
			text+=$part[i]:
		done
		text+="$found[$#part + 1]"
		if (( $#part < fields )); then
			more+=("$text:")
		else
			names+=("$text")
		fi
	done
	compadd -a names
	compadd -S '' -a more
}

# Completes the argument of an option.
_tbufctl_argument() {
	local option=$1 name value
	local -a list

	case $option in
	(-P|-m|-f|-n)
		_tbufctl_descriptions $option
		return ;;
	(-i)
		list=(${(f)"$(_tbufctl_probes | awk '{ print $1 }')"})
		compadd -a list
		return ;;
	(-x)
		if compset -P 1 '*='; then
			name=${${IPREFIX%=}##*[^a-z]}
			[[ $name != (usdt|pidobject) ]] || _files
			list=(${=_tbufctl_values[-x $name]})
			compadd -a list
		else
			# A space after a name removes the =.
			list=(${=_tbufctl_values[-x]})
			compadd -q -S = -a list
		fi
		return ;;
	(--with)
		compset -P '*,'
		list=(${=_tbufctl_values[--with]})
		compadd -S '' -a list
		return ;;
	esac
	for value in ${=_tbufctl_values[$option]}; do
		case $value in
		(file|script)
			_files ;;
		(dir)
			_files -/ ;;
		(pid)
			_pids ;;
		(command)
			_cmdstring ;;
		(size|interval|setting|name|core|provider-file)
			;;
		(*)
			compadd -- $value ;;
		esac
	done
}

_arguments -s -S $_tbufctl_specs '*:argument:_files'
