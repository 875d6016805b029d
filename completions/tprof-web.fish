# fish completion for tprof-web(1)

complete -c tprof-web -s '?' -l help -d 'List the options'
complete -c tprof-web -l listen -x -a '127.0.0.1 0.0.0.0 ::' -d 'Listen on this address of the machine'
complete -c tprof-web -l no-open -d 'Start no browser'
complete -c tprof-web -l port -x -d 'Listen on this port'
complete -c tprof-web -l run -x -a latest -d 'The run that is shown first'
complete -c tprof-web -l source-path -r -d 'Look for source files in these folders'
complete -c tprof-web -l usage -d 'List the options in short'
complete -c tprof-web -s V -l version -d 'Print the version'
