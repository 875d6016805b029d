# bash completion for tprof-record(1)

_tprof_record()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i
	# What follows the program is for it.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) ((i++)) ;;
		-o | --output | --interval | --for | --trace-format | --profile-format | --profiler | --stack-depth | --snapshot | --pid)
			((i++))
			[ "${COMP_WORDS[i]-}" = = ] && ((i++))
			continue
			;;
		-* | =) continue ;;
		*) [ "${COMP_WORDS[i-1]}" = = ] && continue ;;
		esac
		if [ "$i" -lt "$COMP_CWORD" ]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset "$i"
			else
				COMPREPLY=($(compgen -f -- "$cur"))
			fi
			return
		fi
		COMPREPLY=($(compgen -c -- "$cur"))
		return
	done
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	-o | --output) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--trace-format) COMPREPLY=($(compgen -W '1.26 1.5' -- "$cur")); return ;;
	--profile-format) COMPREPLY=($(compgen -W 'proto text' -- "$cur")); return ;;
	--profiler) COMPREPLY=($(compgen -W '1.5 1.8 1.18 1.26' -- "$cur")); return ;;
	--heap) COMPREPLY=($(compgen -W '1 64K 512K' -- "$cur")); return ;;
	--snapshot)
		COMPREPLY=($(compgen -W "$(pgrep tprof-record 2>/dev/null)" -- "$cur"))
		return
		;;
	--pid)
		COMPREPLY=($(compgen -W "$(ps -u "$USER" -o pid= 2>/dev/null)" -- "$cur"))
		return
		;;
	--block | --cpu | --for | --interval | --mutex | --stack-depth) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--all --block --cpu --follow-children --for= --force --goroutine --heap --help
			--interval= --mutex --no-mmap --output= --pid= --profile-format= --profiler= --quiet --snapshot= --stack-depth=
			--strict --threadcreate --trace --trace-format= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -c -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_record tprof-record
