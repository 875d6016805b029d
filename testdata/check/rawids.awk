# Numbers the locations of what `pprof -raw` prints anew: those that samples use, in the order in
# which samples name them, from the leaf. The others are left out, and those that say the same are
# one. Mappings are numbered from 1.
BEGIN { part = 0 }
/^Samples:$/ && part == 0 { part = 1; lines[++nlines] = $0; next }
/^Locations$/ && part == 1 { part = 2; next }
/^Mappings$/ && part == 2 { part = 3; next }
part < 2 { lines[++nlines] = $0; next }
part == 2 && match($0, /^ *[0-9]+: 0x/) {
	at = $0
	sub(/:.*/, "", at)
	gsub(/ /, "", at)
	sub(/^ *[0-9]+/, "")
	text[at] = $0
	next
}
part == 2 { text[at] = text[at] "\n" $0; next }
{
	place = $0
	sub(/:.*/, "", place)
	sub(/^[0-9]+/, "")
	number_of_place["" place] = ++places
	mapping[places] = $0
}

# The location with its mapping's new number.
function renamed(line, head, place) {
	if (!match(line, /^: 0x[0-9a-f]+ M=[0-9]+ /))
		return line
	head = substr(line, 1, RLENGTH - 1)
	line = substr(line, RLENGTH)
	match(head, /M=/)
	place = substr(head, RSTART + 2)
	return substr(head, 1, RSTART + 1) number_of_place["" place] line
}

function number_of(id, line) {
	line = renamed(text["" id])
	if (!(line in number)) {
		number[line] = ++n
		location[n] = line
	}
	return number[line]
}

END {
	for (i = 1; i <= nlines; i++) {
		line = lines[i]
		if (line == "Samples:")
			samples = 1
		else if (samples && line ~ /^( +-?[0-9]+)+: [0-9 ]*$/) {
			colon = index(line, ": ")
			count = split(substr(line, colon + 2), field, " ")
			line = substr(line, 1, colon + 1)
			for (k = 1; k <= count; k++)
				line = line number_of(field[k]) " "
		}
		print line
	}
	print "Locations"
	for (i = 1; i <= n; i++)
		printf "%6d%s\n", i, location[i]
	print "Mappings"
	for (i = 1; i <= places; i++)
		print i mapping[i]
}
