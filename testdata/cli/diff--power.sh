# The table that tprof-diff(1) states, simulated anew.
tprof-diff --power
