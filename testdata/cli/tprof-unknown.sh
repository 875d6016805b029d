# Unknown commands: a suggestion where one is near.
cd "$TMP"
for word in improt tpo querry foo x compare --nosuch ''; do
	tprof "$word" 2>&1
	echo "status $?"
done
touch go.trace
tprof go.trace 2>&1
echo "status $?"
