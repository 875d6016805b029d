# The same traces against each other: runs in random halves, one against one, and one run's windows.
cd testdata/parcels
tprof-diff --self-check=100 --gate 'task[parcel].mean>+3%' --gate 'sched.p99>+10%' --gate 'task[parcel].p50<5ms' --base old-?.trace
tprof-diff --self-check=100 --gate 'task[parcel].mean>+3%' old-1.trace
tprof-diff --self-check=100 --base old-[12].trace -- new-1.trace
# From a pipe.
cat old-1.trace | tprof-diff --self-check=50 - | head -n 4
