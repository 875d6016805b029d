# bash completion for tprof-query(1)

_tprof_query()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--budget= --color= --file= --format= --help --json-head --no-pager --run= --usage
			--version --write' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	.*) COMPREPLY=($(compgen -W '.help .schema .tables' -- "$cur") $(compgen -f -- "$cur")) ;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_query tprof-query
