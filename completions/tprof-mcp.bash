# bash completion for tprof-mcp(1)

_tprof_mcp()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--source-path) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--timeout) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--help --source-path= --timeout= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -d -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_mcp tprof-mcp
