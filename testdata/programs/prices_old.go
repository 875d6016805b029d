package main

//go:noinline
func discount(lines []line) []line {
	cheaper := func(l line) line {
		l.cents -= l.cents / 10
		return l
	}
	return Map(lines, cheaper)
}

//go:noinline
func legacyVAT(lines []line) []int {
	out := make([]int, len(lines))
	for i, l := range lines {
		out[i] = l.cents * 7 / 107
	}
	return out
}

//go:noinline
func tax(lines []line) int { return len(legacyVAT(lines)) }
