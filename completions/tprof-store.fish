# fish completion for tprof-store(1)

complete -c tprof-store -n __fish_is_first_token -x -a 'list show clocks rename label delete prune compact verify upgrade cache'
complete -c tprof-store -l color -x -a 'auto always never' -d 'Use colors'
complete -c tprof-store -s n -l dry-run -d 'Say what would be deleted'
complete -c tprof-store -l empty -d 'Remove all entries of the cache'
complete -c tprof-store -l format -x -a 'table csv tsv json markdown' -d 'Form of the output'
complete -c tprof-store -s '?' -l help -d 'List the options'
complete -c tprof-store -l keep-last -x -d 'Keep the runs imported last'
complete -c tprof-store -l no-pager -d 'Do not page long output'
complete -c tprof-store -l older-than -x -d 'Delete only what is older'
complete -c tprof-store -l run -x -a 'latest all' -d 'Pick runs'
complete -c tprof-store -l usage -d 'List the options in short'
complete -c tprof-store -s V -l version -d 'Print the version'
