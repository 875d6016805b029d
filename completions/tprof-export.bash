# bash completion for tprof-export(1)

_tprof_export()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--format) COMPREPLY=($(compgen -W 'events' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--format= --help --run= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_export tprof-export
