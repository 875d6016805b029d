# fish completion for tprof-import(1)

complete -c tprof-import -l compress -x -a 'fast high' -d 'How small the store is to be'
complete -c tprof-import -l dump -x -a events -d 'Store nothing, write the events'
complete -c tprof-import -s '?' -l help -d 'List the options'
complete -c tprof-import -l label -x -d 'Label the run, KEY=VALUE'
complete -c tprof-import -l occupancy -d 'Also store what goroutines did in each bucket of time'
complete -c tprof-import -l materialize -d 'Also write events and spans as rows'
complete -c tprof-import -l name -x -d 'Call the run'
complete -c tprof-import -s o -l output -r -d 'Put all runs into one store'
complete -c tprof-import -l strict -d 'Refuse a damaged dump'
complete -c tprof-import -l threads -x -d 'Threads to use'
complete -c tprof-import -l usage -d 'List the options in short'
complete -c tprof-import -s V -l version -d 'Print the version'
