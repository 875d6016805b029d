tprof-top --help
