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
complete -c tprof-top -l format -x -a 'table csv tsv json markdown dot svg callgrind' -d 'How to write the rows'
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
complete -c tprof-top -l nodefraction -d 'Leave out nodes below this share'
complete -c tprof-top -l region -x -d 'Only inside matching user regions'
complete -c tprof-top -l task -x -d 'Only inside matching user tasks'
complete -c tprof-top -l view -x -a 'cpu running offcpu sched syscall wall' -d 'Look at a trace as at a profile'
complete -c tprof-top -l comments -d 'Comments of the profile'
complete -c tprof-top -l disasm -x -d 'Annotated machine code of matching functions'
complete -c tprof-top -l list -x -d 'Annotated source of matching functions'
complete -c tprof-top -l peek -x -d 'Callers and callees of matching functions'
complete -c tprof-top -l raw -d 'The profile as text'
complete -c tprof-top -l tags -d 'Values of labels'
complete -c tprof-top -l traces -d 'All samples with their stacks'
complete -c tprof-top -l tree -d 'The call graph as text'
complete -c tprof-top -l divide-by -x -d 'Divide all values'
complete -c tprof-top -l mean -d 'Divide by the first sample type'
complete -c tprof-top -l relative-percentages -d 'Shares of what the filters leave'
complete -c tprof-top -l sample-index -x -a 'inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine' -d 'Sample type to count'
complete -c tprof-top -l unit -x -a 'minimum auto ns us ms seconds bytes kB MB GB' -d 'Unit of values'
complete -c tprof-top -l all-frames -d 'Keep frames the profile wants dropped'
complete -c tprof-top -l hide -x -d 'Leave out matching frames'
complete -c tprof-top -l prune-from -x -d 'Leave out what matches have called'
complete -c tprof-top -l show -x -d 'Only matching frames'
complete -c tprof-top -l show-from -x -d 'Leave out callers above the match'
complete -c tprof-top -l tag-focus -x -d 'Only samples with such a label'
complete -c tprof-top -l tag-hide -x -d 'No labels with a matching key'
complete -c tprof-top -l tag-ignore -x -d 'No samples with such a label'
complete -c tprof-top -l tag-leaf -x -d 'Labels as frames at the leaf'
complete -c tprof-top -l tag-root -x -d 'Labels as frames at the root'
complete -c tprof-top -l tag-show -x -d 'Only labels with a matching key'
complete -c tprof-top -l granularity -x -a 'functions filefunctions files lines addresses' -d 'What is added up'
complete -c tprof-top -l no-inlines -d 'Inlined functions count as their callers'
complete -c tprof-top -l show-columns -d 'Tell columns of lines apart'
complete -c tprof-top -l source-path -r -d 'Folders with sources'
complete -c tprof-top -l trim-path -r -d 'Folders to cut off file names'
complete -c tprof-top -l call-tree -d 'A function once per path'
complete -c tprof-top -l compact-labels -d 'A short heading'
complete -c tprof-top -l cum -d 'Sort by cum'
complete -c tprof-top -l drop-negative -d 'Leave out negative values'
complete -c tprof-top -l edgefraction -x -d 'Leave out edges below this share'
complete -c tprof-top -l flat -d 'Sort by flat'
complete -c tprof-top -l intel-syntax -d 'Intel\'s syntax'
complete -c tprof-top -l no-trim -d 'Leave out nothing'
complete -c tprof-top -l nodecount -x -d 'At most so many nodes'
complete -c tprof-top -l nodefraction -x -d 'Leave out nodes below this share'
