package main

//go:noinline
func discount(lines []line) []line {
	few := func() bool { return len(lines) < 30 }
	cheaper := func(l line) line {
		l.cents -= l.cents / 10
		return l
	}
	// More room than there are lines: what the new build wastes.
	spare := make([]line, 0, len(lines)/5+1)
	if few() {
		spare = append(spare, lines[0])
	}
	return append(Map(lines, cheaper), spare...)
}

//go:noinline
func vat(lines []line) []int {
	out := make([]int, 0, len(lines))
	for _, l := range lines {
		out = append(out, l.cents*7/107)
	}
	return out
}

//go:noinline
func tax(lines []line) int { return len(vat(lines)) }
