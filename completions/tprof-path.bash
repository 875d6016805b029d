# bash completion for tprof-path(1)

_tprof_path()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--task | --region | --request | --request-key | --reason)
		mapfile -t COMPREPLY < <(tprof-store values -- "$prev" "$cur" "${COMP_WORDS[@]}" 2>/dev/null)
		return
		;;
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown svg html text folded speedscope pprof' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	--output | -o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--rows | -n | --hops | --own | --title | --goroutine | --from | --to | --what-if) return ;;
	--min | --max) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--min= --max= --budget= --color= --format= --from= --goroutine= --help --json-head
			--hops= --no-pager --output= --own= --reason= --region= --request= --request-key= --rows= --run= --slowest --sort= --stacks --task= --title=
			--to= --usage --version --what-if=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur") $(compgen -W 'summary hops tree totals requests wakers blame what-if' -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_path tprof-path
