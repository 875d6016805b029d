# bash completion for tprof-top(1)

_tprof_top()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word report=groups
	local reports='groups goroutines breakdown block locks sched syscalls cpu gc tasks task regions region logs outliers story procs overview mmu pauses stops heap incident'
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ " $reports " == *" $word "* ]] && report=$word
	done
	case $prev in
	--task | --region | --request | --request-key | --by | --reason | --tag-focus | --tag-ignore)
		mapfile -t COMPREPLY < <(tprof-store values -- "$prev" "$cur" "${COMP_WORDS[@]}" 2>/dev/null)
		return
		;;
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown pprof dot svg callgrind' -- "$cur")); return ;;
	--demangle) COMPREPLY=($(compgen -W 'default templates full none' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--state)
		COMPREPLY=($(compgen -W 'running runnable blocked syscall syscall-blocked lost' -- "$cur"))
		return
		;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--granularity) COMPREPLY=($(compgen -W 'functions filefunctions files lines addresses' -- "$cur")); return ;;
	--sample-index) COMPREPLY=($(compgen -W 'inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine' -- "$cur")); return ;;
	--unit) COMPREPLY=($(compgen -W 'minimum auto ns us ms seconds bytes kB MB GB' -- "$cur")); return ;;
	--pprof) COMPREPLY=($(compgen -W 'net sync syscall sched' -- "$cur")); return ;;
	--view) COMPREPLY=($(compgen -W 'cpu running offcpu sched syscall wall' -- "$cur")); return ;;
	--base | --diff-base | --binary) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--source-path | --symbol-path | --trim-path) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--sort | -s)
		# The keys are in the help, behind the report's name.
		COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --help=all 2>/dev/null |
			awk -v r="$report" '/^Reports/ {on = 1} on && /^  [a-z]/ {in_it = $1 == r; next}
				on && !NF {exit} in_it {if ($1 == "by") $1 = ""; print}')" -- "$cur"))
		return
		;;
	--rows | -n | --focus | --ignore | --goroutine | --from | --to) return ;;
	--disasm | --divide-by | --edgefraction | --hide | --list | --nodecount) return ;;
	--over) COMPREPLY=($(compgen -W 'run time' -- "$cur")); return ;;
	--nodefraction | --peek | --prune-from | --show | --show-from) return ;;
	--tag-hide | --tag-leaf | --tag-root | --tag-show) return ;;
	--around | --last | --log | --own | --max | --min | --slowest | --window) return ;;
	--include) COMPREPLY=($(compgen -W 'stw background assist sweep all' -- "$cur")); return ;;
	esac
	case $cur in
	-[a-z]*)
		# As pprof's users type it.
		COMPREPLY=($(compgen -W '-top -text -tree -peek= -list= -disasm= -traces -raw -tags -comments -dot -svg
			-callgrind -base= -diff_base= -normalize -drop_negative -cum -flat -functions
			-filefunctions -files -lines -addresses -noinlines -showcolumns -mean -unit=
			-divide_by= -nodecount= -nodefraction= -edgefraction= -trim=false -trim_path=
			-source_path= -relative_percentages -call_tree -compact_labels -intel_syntax
			-all_frames -tagshow= -taghide= -focus= -ignore= -hide= -show= -show_from=
			-prune_from= -tagfocus= -tagignore= -tagroot= -tagleaf= -sample_index= -inuse_space
			-inuse_objects -alloc_space -alloc_objects -total_delay -contentions -mean_delay' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	-*)
		COMPREPLY=($(compgen -W '--all-frames --as-go --base= --by= --budget= --call-tree --color= --comments --compact-labels --counters --cum --disasm=
			--deadlock --diff-base= --divide-by= --drop-negative --each --edgefraction= --flat --focus= --format= --from=
			--goroutine= --goroutines --granularity= --help --json-head --hide= --ignore= --include= --intel-syntax --list= --log= --max= --mean --min=
			--no-inlines --no-pager --no-trim --nodecount= --nodefraction= --normalize
			--over= --own= --peek= --per-p --prune-from= --raw --reason= --region= --request= --request-key= --relative-percentages --rows= --last= --around=
			--run= --sample-index= --show-columns --show-from= --show= --slowest= --sort= --source-path= --source-within
			--state= --symbol-path= --demangle= --binary= --tag-focus= --tag-hide= --tag-ignore= --tag-leaf= --tag-root= --tag-show=
			--tags --task= --to= --traces --tree --trim-path= --unit= --usage --version --view= --window= --pprof=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur") $(compgen -W "$reports" -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_top tprof-top
