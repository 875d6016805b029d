# fish completion for tprof-top(1)

function __tprof_top_keys
	# The keys are in the help, behind the report's name.
	set --local report groups
	for word in (commandline -opc)
		contains -- $word groups goroutines block sched syscalls cpu gc tasks regions procs overview
		and set report $word
	end
	tprof-top --help 2>/dev/null | awk -v r=$report '/^Reports/ {on = 1}
		on && /^  [a-z]/ {in_it = $1 == r; next} on && !NF {exit}
		in_it {if ($1 == "by") $1 = ""; for (i = 1; i <= NF; i++) print $i}'
end

complete -c tprof-top -a 'groups goroutines block sched syscalls cpu gc tasks regions procs overview' -d Report
complete -c tprof-top -l color -x -a 'auto always never' -d 'Use colors'
complete -c tprof-top -l focus -x -d 'Only what has a matching function on its stack'
complete -c tprof-top -l format -x -a 'table csv tsv json markdown' -d 'How to write the rows'
complete -c tprof-top -l from -x -d 'Only from this time on'
complete -c tprof-top -l goroutine -x -d 'Only these goroutines, by id or entry function'
complete -c tprof-top -s '?' -l help -d 'List the options'
complete -c tprof-top -l ignore -x -d 'Nothing with a matching function on its stack'
complete -c tprof-top -l no-pager -d 'Do not show long output page by page'
complete -c tprof-top -l reason -x -d 'Only time blocked for a matching reason'
complete -c tprof-top -s n -l rows -x -d 'Show at most so many rows'
complete -c tprof-top -l run -x -a 'latest all' -d 'Pick runs of the store'
complete -c tprof-top -s s -l sort -x -a '(__tprof_top_keys)' -d 'Sort by this column'
complete -c tprof-top -l state -x -a 'running runnable blocked syscall syscall-blocked lost' -d 'Only time in these states'
complete -c tprof-top -l to -x -d 'Only before this time'
complete -c tprof-top -l usage -d 'List the options in short'
complete -c tprof-top -s V -l version -d 'Print the version'
