# Views and filters of traces mean nothing to a profile; a gate once passed over it in silence.
try() {
	"$@" 2>&1 | head -1
}
try tprof-top --view=offcpu testdata/catalog.cpu
try tprof-flame --view=offcpu --format=text testdata/catalog.cpu
try tprof-flame --from=10ms --format=text testdata/catalog.cpu
try tprof-flame --task=order --base=testdata/catalog.cpu --format=text testdata/checkout.trace
try tprof-diff --from=10ms testdata/catalog.cpu testdata/prices/new.cpu
try tprof-diff --view=offcpu --gate='cpu>+5%' testdata/catalog.cpu testdata/prices/new.cpu
try tprof-diff --view=cpu --to=10ms testdata/checkout.trace testdata/catalog.cpu
try tprof-export --format=proto --view=offcpu testdata/catalog.cpu
# One trace is enough: its view is compared with a profile.
tprof-diff --view=cpu -n 1 testdata/checkout.trace testdata/catalog.cpu
