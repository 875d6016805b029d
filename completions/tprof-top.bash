# bash completion for tprof-top(1)

_tprof_top()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word report=groups
	local reports='groups goroutines block sched syscalls cpu gc tasks regions procs overview'
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ " $reports " == *" $word "* ]] && report=$word
	done
	case $prev in
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--state)
		COMPREPLY=($(compgen -W 'running runnable blocked syscall syscall-blocked lost' -- "$cur"))
		return
		;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--sort | -s)
		# The keys are in the help, behind the report's name.
		COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null |
			awk -v r="$report" '/^Reports/ {on = 1} on && /^  [a-z]/ {in_it = $1 == r; next}
				on && !NF {exit} in_it {if ($1 == "by") $1 = ""; print}')" -- "$cur"))
		return
		;;
	--rows | -n | --focus | --ignore | --goroutine | --reason | --from | --to) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--color= --focus= --format= --from= --goroutine= --help --ignore=
			--no-pager --reason= --rows= --run= --sort= --state= --to= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur") $(compgen -W "$reports" -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_top tprof-top
