# fish completion for tprof-query(1)

complete -c tprof-query -l budget -x -d 'Write at most this many bytes'
complete -c tprof-query -l color -x -a 'auto always never' -d 'Use colors'
complete -c tprof-query -s f -l file -r -d 'Run the statements in a file'
complete -c tprof-query -l format -x -a 'table csv tsv json markdown' -d 'Output format'
complete -c tprof-query -l json-head -d 'JSON with runs, kinds of columns, cuts and notes'
complete -c tprof-query -s '?' -l help -d 'List the options'
complete -c tprof-query -l no-pager -d 'Do not page long output'
complete -c tprof-query -l run -x -a latest -d 'The run that :run stands for'
complete -c tprof-query -l usage -d 'List the options in short'
complete -c tprof-query -s V -l version -d 'Print the version'
complete -c tprof-query -l write -d 'Let statements change the store'
