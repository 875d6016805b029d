# For walk.tui: what SQL says of the longest waits of testdata/checkout.trace, in the words of the timeline.
# Rest is no wait: sleep, and goroutines of the runtime's own.
#
#   sh longest.sh N [waker|there]      the Nth: who and how long; who woke it; what is said there
case ${2:-} in
waker) words="printf('woken by g%d %s at %.6fms', s.waker, w.name, s.end_ns / 1e6)" ;;
there) words="printf('here g%d %s woke g%d %s, at %.6fms', s.waker, w.name, s.goroutine, g.name, s.end_ns / 1e6)" ;;
*) words="printf('g%d %s is blocked on %s for', s.goroutine, g.name, s.reason)" ;;
esac
tprof-query --format=tsv testdata/checkout.trace "
	select $words from span s
	join goroutine g on g.run = s.run and g.id = s.goroutine
	left join goroutine w on w.run = s.run and w.id = s.waker
	where s.run = :run and s.state = 'Waiting' and s.reason not in ('', 'sleep')
		and g.name not like 'runtime.%' and g.name not like 'runtime/%'
	order by s.dur_ns desc limit 1 offset $1 - 1" | tail -n 1
