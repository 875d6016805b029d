# What completions ask for: the names in the first store of a command line.
tprof-import -o $TMP/s.tprof --label=side=a testdata/checkout.trace testdata/catalog.cpu >/dev/null
for option in --task --region --reason --tag-focus --label --rows; do
	echo "# $option"
	tprof-store values -- $option '' tprof-top --rows=3 testdata/checkout.trace nowhere $TMP/s.tprof $option
done
tprof-import -o $TMP/desk.tprof testdata/desk/desk.trace testdata/desk/desk.d2 >/dev/null
for option in --request --request-key --by; do
	echo "# $option"
	tprof-store values -- $option '' tprof-top $TMP/desk.tprof
done
echo '# typed'
tprof-store values -- --reason s $TMP/s.tprof
echo '# no store is no error, and a dump is not imported'
tprof-store values -- --task '' tprof-top testdata/checkout.trace
(
	# shellcheck source=/dev/null
	bash -c '. completions/tprof-top.bash
		COMP_WORDS=(tprof-top "$1" --reason = "c") COMP_CWORD=4
		_tprof_top
		printf "%s\n" "${COMPREPLY[@]}"' bash $TMP/s.tprof
)
