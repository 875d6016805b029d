# bash completion for tprof-merge(1)

_tprof_merge()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--help --output= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_merge tprof-merge
