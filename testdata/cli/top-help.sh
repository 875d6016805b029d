tprof-top --help
tprof-top --help=all
