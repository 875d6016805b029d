# bash completion for tprof(1)

_tprof()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command function
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = help ]; }; then
		# Every program called tprof-NAME is a command.
		COMPREPLY=($(compgen -W "help guide --help --version $(compgen -c tprof- | sed 's/^tprof-//' | sort -u)" -- "$cur"))
		return
	elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = guide ]; then
		COMPREPLY=($(compgen -W "slow cpu heap lock leak gc regression crash many sql" -- "$cur"))
		return
	fi
	# The rest is the command's own.
	command=tprof-${COMP_WORDS[1]}
	if declare -F _completion_loader >/dev/null; then
		_completion_loader "$command" 2>/dev/null
	fi
	function=_${command//-/_}
	if declare -F "$function" >/dev/null; then
		COMP_WORDS=("$command" "${COMP_WORDS[@]:2}")
		COMP_CWORD=$((COMP_CWORD - 1))
		"$function"
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _tprof tprof
