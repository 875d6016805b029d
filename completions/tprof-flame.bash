# bash completion for tprof-flame(1)

_tprof_flame()
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
	--format) COMPREPLY=($(compgen -W 'svg html text folded speedscope frames' -- "$cur")); return ;;
	--sort) COMPREPLY=($(compgen -W 'value name' -- "$cur")); return ;;
	--width) COMPREPLY=($(compgen -W 'both new old' -- "$cur")); return ;;
	--pprof) COMPREPLY=($(compgen -W 'net sync syscall sched' -- "$cur")); return ;;
	--view) COMPREPLY=($(compgen -W 'cpu running offcpu sched syscall wall' -- "$cur")); return ;;
	--granularity)
		COMPREPLY=($(compgen -W 'functions filefunctions files lines addresses' -- "$cur"))
		return
		;;
	--sample-index)
		COMPREPLY=($(compgen -W 'inuse_space inuse_objects alloc_space alloc_objects cpu samples
			delay contentions' -- "$cur"))
		return
		;;
	--state)
		COMPREPLY=($(compgen -W 'running runnable blocked syscall syscall-blocked lost' -- "$cur"))
		return
		;;
	--demangle) COMPREPLY=($(compgen -W 'default templates full none' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest all' -- "$cur")); return ;;
	--base | --diff-base | --binary | --output | -o | --symbol-path | --trim-path) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--title | --min-width | --max-depth | --noise | --focus | --ignore | --hide | --show | \
	--show-from | --prune-from | --tag-root | --tag-leaf | \
	--goroutine | --from | --to) return ;;
	esac
	case $cur in
	-[a-z]*)
		# As pprof's users type it.
		COMPREPLY=($(compgen -W '-base= -diff_base= -normalize -output= -functions -filefunctions -files -lines
			-addresses -noinlines -showcolumns -trim_path= -all_frames -focus= -ignore= -hide=
			-show= -show_from= -prune_from= -tagfocus= -tagignore= -tagroot= -tagleaf=
			-sample_index= -inuse_space -inuse_objects -alloc_space -alloc_objects -total_delay
			-contentions -mean_delay' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	-*)
		COMPREPLY=($(compgen -W '--all-frames --base= --base-from= --base-label= --base-to= --binary= --budget= --color= --diff-base= --flame --focus= --format= --from=
			--goroutine= --granularity= --help --hide= --ignore= --label= --max-depth= --min-width=
			--negate --no-inlines --no-pager --noise= --normalize --output= --prune-from=
			--reason= --region= --request= --request-key= --reverse --run= --sample-index= --show= --show-columns
			--show-from= --sort= --state= --symbol-path= --demangle= --tag-focus= --tag-ignore= --tag-leaf= --tag-root=
			--task= --title= --to= --trim-path= --usage --version --view= --pprof= --width=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_flame tprof-flame
