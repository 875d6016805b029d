# fish completion for tprof-export(1)

complete -c tprof-export -l format -x -a events -d 'Form of the output'
complete -c tprof-export -s '?' -l help -d 'List the options'
complete -c tprof-export -l run -x -a latest -d 'Pick a run'
complete -c tprof-export -l usage -d 'List the options in short'
complete -c tprof-export -s V -l version -d 'Print the version'
