# bash completion for tprof-export(1)

_tprof_export()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--task | --region | --request | --request-key | --reason | --tag-focus | --tag-ignore)
		mapfile -t COMPREPLY < <(tprof-store values -- "$prev" "$cur" "${COMP_WORDS[@]}" 2>/dev/null)
		return
		;;
	--table)
		COMPREPLY=($(compgen -W 'event span goroutine goroutine_block goroutine_range goroutine_time site site_hist span_crossing proc_time proc_span range task region log cpu_sample string function location frame stack bucket bucket_value bucket_label run loss wire clock segment' -- "$cur"))
		return
		;;
	--format) COMPREPLY=($(compgen -W 'pprof folded speedscope csv trace perfetto events parsed raw footprint' -- "$cur")); return ;;
	--demangle) COMPREPLY=($(compgen -W 'default templates full none' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	--sample-index)
		COMPREPLY=($(compgen -W 'inuse_space inuse_objects alloc_space alloc_objects cpu
			samples delay contentions goroutine' -- "$cur"))
		return
		;;
	--pprof) COMPREPLY=($(compgen -W 'net sync syscall sched' -- "$cur")); return ;;
	--view)
		COMPREPLY=($(compgen -W 'cpu running offcpu sched syscall wall' -- "$cur"))
		return
		;;
	--state)
		COMPREPLY=($(compgen -W 'running runnable blocked syscall syscall-blocked lost' -- "$cur"))
		return
		;;
	--clickhouse) COMPREPLY=($(compgen -W 'clickhouse://' -- "$cur")); return ;;
	--cluster | --divide-by | --focus | --from | --goroutine | --hide | --ignore | --prune-from \
		| --show | --show-from | --tag-hide | --tag-leaf | \
		--tag-root | --tag-show | --to) return ;;
	esac
	case $cur in
	-[a-z]*)
		# As pprof's users type it.
		COMPREPLY=($(compgen -W '-base= -diff_base= -normalize -output= -noinlines -showcolumns -divide_by=
			-all_frames -tagshow= -taghide= -focus= -ignore= -hide= -show= -show_from=
			-prune_from= -tagfocus= -tagignore= -tagroot= -tagleaf= -sample_index= -inuse_space
			-inuse_objects -alloc_space -alloc_objects -total_delay -contentions -mean_delay' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	-*)
		COMPREPLY=($(compgen -W '--all-frames --base= --binary= --diff-base= --divide-by= --focus= --format= --table= --from= --goroutine= --help --hide= --ignore=
			--no-inlines --normalize --output= --prune-from= --reason= --region= --request= --request-key= --run= --sample-index= --show= --show-columns
			--show-from= --state= --symbol-path= --demangle= --tag-focus= --tag-hide= --tag-ignore= --tag-leaf= --tag-root=
			--tag-show= --task= --to= --usage --version --view= --pprof= --wakers --clickhouse= --cluster= --spans --anonymise --anonymise-key=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_export tprof-export
