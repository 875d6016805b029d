# bash completion for tprof-diff(1)

_tprof_diff()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--task | --region | --request | --request-key | --reason | --tag-focus | --tag-ignore | --label | --base-label)
		mapfile -t COMPREPLY < <(tprof-store values -- "$prev" "$cur" "${COMP_WORDS[@]}" 2>/dev/null)
		return
		;;
	--per) COMPREPLY=($(compgen -W 'second task run' -- "$cur")); return ;;
	--by) COMPREPLY=($(compgen -W 'function line file stack label tasks regions sched reasons groups syscalls gc cpu' -- "$cur")); return ;;
	--demangle) COMPREPLY=($(compgen -W 'default templates full none' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--format) COMPREPLY=($(compgen -W 'table csv tsv json markdown junit pprof' -- "$cur")); return ;;
	--granularity) COMPREPLY=($(compgen -W 'functions files lines' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--sample-index)
		COMPREPLY=($(compgen -W 'inuse_space inuse_objects alloc_space alloc_objects cpu
			samples delay contentions goroutine' -- "$cur"))
		return
		;;
	--share-of) COMPREPLY=($(compgen -W 'old change' -- "$cur")); return ;;
	--sort | -s) COMPREPLY=($(compgen -W 'delta percent old new p name' -- "$cur")); return ;;
	--state)
		COMPREPLY=($(compgen -W 'running runnable blocked syscall syscall-blocked lost' -- "$cur"))
		return
		;;
	--pprof) COMPREPLY=($(compgen -W 'net sync syscall sched' -- "$cur")); return ;;
	--view) COMPREPLY=($(compgen -W 'cpu running offcpu sched syscall wall' -- "$cur")); return ;;
	--alpha | --average-by | --divide-by | --focus | --from | --gate | --goroutine | --hide | \
		--ignore | --min-share | --nodecount | --prune-from | \
		--rows | -n | --show | --show-from | --tag-hide | \
		--tag-leaf | --tag-root | --tag-show | --to | \
		--unit) return ;;
	esac
	case $cur in
	-[a-z]*)
		# As pprof's users type it.
		COMPREPLY=($(compgen -W '-top -base= -diff_base= -normalize -drop_negative -cum -functions -files -lines
			-noinlines -mean -unit= -divide_by= -relative_percentages -all_frames -tagshow=
			-taghide= -focus= -ignore= -hide= -show= -show_from= -prune_from= -tagfocus=
			-tagignore= -tagroot= -tagleaf= -sample_index= -inuse_space -inuse_objects
			-alloc_space -alloc_objects -total_delay -contentions -mean_delay' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	-*)
		COMPREPLY=($(compgen -W '--all-frames --alpha= --average-by= --base --base-label= --binary=
			--all-stats --by= --per= --changed --budget= --color= --cum --diff-base --divide-by= --drop-negative
			--exact-names --focus= --format= --from= --gate= --goroutine=
			--granularity= --help --json-head --hide= --ignore= --label= --mean --min-share=
			--no-inlines --no-pager --nodecount= --normalize --power --prune-from=
			--reason= --region= --request= --request-key= --relative-percentages --rows= --run=
			--sample-index= --seed= --self-check --share-of= --show= --show-from= --sort=
			--state= --sum --symbol-path= --demangle= --tag-focus= --tag-hide= --tag-ignore=
			--tag-leaf= --tag-root= --tag-show= --task= --to= --unit= --usage
			--version --view= --pprof=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_diff tprof-diff
