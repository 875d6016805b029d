# fish completion for tprof-report(1)

complete -c tprof-report -l base -r -d 'What to compare with'
complete -c tprof-report -l base-run -x -a 'latest all' -d 'Which run of what is compared with'
complete -c tprof-report -s '?' -l help -d 'List the options'
complete -c tprof-report -s o -l output -r -d 'File to write'
complete -c tprof-report -l own -x -d 'Functions of your own code, for WHERE'
complete -c tprof-report -s n -l rows -x -d 'Show at most this many rows of each table'
complete -c tprof-report -l run -x -a 'latest all' -d 'Pick a run of the store'
complete -c tprof-report -l sample-index -x -a 'inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions' -d 'Sample type of profiles'
complete -c tprof-report -l title -x -d 'The heading'
complete -c tprof-report -l usage -d 'List the options in short'
complete -c tprof-report -s V -l version -d 'Print the version'
