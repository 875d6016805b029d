# fish completion for tprof-merge(1)

complete -c tprof-merge -s '?' -l help -d 'List the options'
complete -c tprof-merge -s o -l output -r -d 'The merged store'
complete -c tprof-merge -l usage -d 'List the options in short'
complete -c tprof-merge -s V -l version -d 'Print the version'
