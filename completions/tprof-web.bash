# bash completion for tprof-web(1)

_tprof_web()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# "=" is a word of its own where it is in COMP_WORDBREAKS.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}
	case $prev in
	--listen) COMPREPLY=($(compgen -W '127.0.0.1 0.0.0.0 ::' -- "$cur")); return ;;
	--run) COMPREPLY=($(compgen -W 'latest' -- "$cur")); return ;;
	--source-path) COMPREPLY=($(compgen -d -- "$cur")); return ;;
	--port) return ;;
	esac
	case $cur in
	-*)
		COMPREPLY=($(compgen -W '--help --listen= --no-open --port= --run= --source-path= --usage --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace +o filenames
		;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _tprof_web tprof-web
