# fish completion for tprof(1)

function __tprof_commands
	complete -C 'tprof-' | string replace -rf '^tprof-([^\t]*).*' '$1' | sort -u
end

# tprof NAME … is completed as tprof-NAME …
function __tprof_rest
	set --local words (commandline -opc) (commandline -ct)
	complete -C "tprof-$words[2] $words[3..-1]"
end

complete -c tprof -f
complete -c tprof -n __fish_use_subcommand -l help -d 'List the commands'
complete -c tprof -n __fish_use_subcommand -l version -d 'Print the version'
complete -c tprof -n __fish_use_subcommand -a '(__tprof_commands)'
complete -c tprof -n __fish_use_subcommand -a help -d 'Open the manual page of a command'
complete -c tprof -n '__fish_seen_subcommand_from help' -a '(__tprof_commands)'
complete -c tprof -n __fish_use_subcommand -a guide -d 'Show which command answers a question'
complete -c tprof -n '__fish_seen_subcommand_from guide' -a 'slow cpu heap lock leak gc regression crash many sql'
complete -c tprof -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help guide' -a '(__tprof_rest)'
