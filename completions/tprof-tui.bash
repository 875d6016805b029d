# bash completion for tprof-tui(1)

_tprof_tui()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i words=0
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--own) return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	esac
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] || words=$((words + 1))
	done
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--ascii --color= --help --keys --no-mouse --own= --run= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*)
		if [ "$words" -eq 2 ]; then
			case $prev in
			top) COMPREPLY=($(compgen -W 'groups goroutines breakdown block locks sched syscalls cpu gc tasks task regions region logs outliers story procs overview mmu pauses stops heap incident' -- "$cur")) ;;
			flame) COMPREPLY=($(compgen -W 'wall cpu running offcpu sched syscall diff' -- "$cur")) ;;
			esac
			return
		fi
		COMPREPLY=($(compgen -f -- "$cur"))
		[ "$words" -eq 1 ] && COMPREPLY=($(compgen -W 'runs overview timeline top flame diff goroutine sql help' -- "$cur"))
		;;
	esac
}
complete -o filenames -F _tprof_tui tprof-tui
