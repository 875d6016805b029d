# The same traces against each other: runs in random halves, and one run's windows.
cd testdata/parcels
tprof-diff --self-check --gate 'task[parcel].mean>+3%' --gate 'sched.p99>+10%' --base old-?.trace -- new-1.trace
tprof-diff --self-check --gate 'task[parcel].mean>+3%' old-1.trace new-1.trace
tprof-diff --self-check --base old-[12].trace -- new-1.trace 2>&1
echo $?
