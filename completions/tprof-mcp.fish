# fish completion for tprof-mcp(1)

complete -c tprof-mcp -f -a '(__fish_complete_directories)'
complete -c tprof-mcp -s '?' -l help -d 'List the options'
complete -c tprof-mcp -l source-path -r -d 'Read source files in these folders, too'
complete -c tprof-mcp -l timeout -x -d 'Stop a call that takes longer'
complete -c tprof-mcp -l usage -d 'List the options in short'
complete -c tprof-mcp -s V -l version -d 'Print the version'
