# The list of commands, the version, and help.
cd "$TMP"
tprof
tprof --version
tprof-import --version
tprof help nosuch 2>&1
echo "status $?"
