tprof-import --help
