# From a question to a command: the list, one of its sections, and a word that is none of them.
tprof guide
tprof guide gc
tprof guide speed 2>&1 || echo "status $?"
