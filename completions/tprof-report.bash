# bash completion for tprof-report(1)

_tprof_report()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--run | --base-run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--sample-index)
		COMPREPLY=($(compgen -W 'inuse_space inuse_objects alloc_space alloc_objects cpu samples
			delay contentions' -- "$cur"))
		return
		;;
	--format) COMPREPLY=($(compgen -W 'html markdown' -- "$cur")); return ;;
	--base | --output | -o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--title | --rows | -n | --own | --budget) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--base= --base-run= --budget= --format= --help --output= --own= --rows= --run= --sample-index= --title=
			--usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_report tprof-report
