# Columns are called what a store calls them. Tables and markdown wrote such a name as it was: it could set the
# title of a terminal, or turn text around.
tprof-import -o "$TMP/s.tprof" testdata/errands.trace >/dev/null
tprof-query --write "$TMP/s.tprof" "$(printf 'create table t("a\033]0;owned\007\n\342\200\256b" text, "\302\233|<b>" int); insert into t values(1, 2)')"
for format in table markdown csv tsv json; do
	echo "$format:"
	tprof-query --format=$format "$TMP/s.tprof" 'select * from t'
done
# Where there is no room for all of them, too.
COLUMNS=20 tprof-query "$TMP/s.tprof" 'select * from t'
tprof-query "$TMP/s.tprof" '.schema t'
