# bash completion for tprof-leaks(1)

_tprof_leaks()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--request | --request-key | --by)
		mapfile -t COMPREPLY < <(tprof-store values -- "$prev" "$cur" "${COMP_WORDS[@]}" 2>/dev/null)
		return
		;;
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--sort | -s) COMPREPLY=($(compgen -W 'count growth wait' -- "$cur")); return ;;
	--gate | --min-wait | --own | --rows | -n) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--all --allow= --budget= --by= --color= --created --format= --gate= --help --json-head
			--min-wait= --no-pager --own= --request= --request-key= --rows= --run= --show-allowed --sort= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_leaks tprof-leaks
