# The table that tprof-gates(7) states, simulated anew.
tprof-diff --power
