# A run that lost something says so in one line, and has a column of time that is lost. How much is
# a matter of salvage, not of this command.
tprof-top -n 3 testdata/checkout-cut.trace 2>&1 | sed -n '1,4s/[0-9][0-9,.]*/N/gp'
