# fish completion for tprof-tui(1)
complete -c tprof-tui -l ascii -d 'Draw with ASCII characters only'
complete -c tprof-tui -l color -x -a 'auto always never' -d 'Use colors'
complete -c tprof-tui -s '?' -l help -d 'List the options'
complete -c tprof-tui -l keys -d 'List every key and command'
complete -c tprof-tui -l no-mouse -d 'Leave the mouse to the terminal'
complete -c tprof-tui -l own -x -d 'Functions of your own code, for WHERE'
complete -c tprof-tui -l run -x -a latest -d 'The run that is shown first'
complete -c tprof-tui -l usage -d 'List the options in short'
complete -c tprof-tui -s V -l version -d 'Print the version'
complete -c tprof-tui -n 'test (count (commandline -opc)) -eq 2' -a 'runs overview timeline top flame diff goroutine sql help' -d View
complete -c tprof-tui -f -n 'test (count (commandline -opc)) -eq 3; and contains top (commandline -opc)' -a 'groups goroutines breakdown block locks sched syscalls cpu gc tasks task regions region logs outliers story procs overview mmu pauses stops heap incident' -d Report
complete -c tprof-tui -f -n 'test (count (commandline -opc)) -eq 3; and contains flame (commandline -opc)' -a 'wall cpu running offcpu sched syscall diff' -d View
