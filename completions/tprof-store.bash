# bash completion for tprof-store(1)

_tprof_store()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word tasks
	tasks='list show clocks rename label delete prune compact verify upgrade cache'
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--keep-last | --older-than) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--budget= --color= --dry-run --empty --format= --help --json-head --keep-last= --no-pager
			--older-than= --run= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*)
		for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
			case " $tasks " in *" $word "*) COMPREPLY=($(compgen -f -- "$cur")); return ;; esac
		done
		compopt +o filenames
		COMPREPLY=($(compgen -W "$tasks" -- "$cur"))
		;;
	esac
}
complete -o filenames -F _tprof_store tprof-store
