# bash completion for tprof-import(1)

_tprof_import()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--compress) COMPREPLY=($(compgen -W 'fast high' -- "$cur")); return ;;
	--dump) COMPREPLY=($(compgen -W 'events' -- "$cur")); return ;;
	--lists | --symbol-path) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	-j | --jobs | --name | --label | --folder-labels | --slurm | --tasks | --threads) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--binary= --compress= --dump= --folder-labels= --help --jobs= --known= --label= --lists= --materialize --name=
			--output= --report= --skip-others --slurm --slurm= --strict --sum-reports --symbol-path= --tasks=
			--threads= --usage --version --wait' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_import tprof-import
