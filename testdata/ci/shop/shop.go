// Package shop is what the recipes in testdata/ci record: orders, each a user task of a trace.
package shop

import (
	"context"
	"fmt"
	"runtime/trace"
	"strings"
)

// copies is how often a receipt is written: recipes.py changes it to make a regression.
const copies = 4

func receipt(item int) string {
	var lines []string
	for i := 0; i < copies; i++ {
		lines = append(lines, fmt.Sprintf("copy %d: %s", i, strings.Repeat("item ", item%50+20)))
	}
	return strings.Join(lines, "\n")
}

// Order returns the size of all receipts of an order.
func Order(ctx context.Context, items int) int {
	_, task := trace.NewTask(ctx, "order")
	defer task.End()
	size := 0
	for i := 0; i < items; i++ {
		size += len(receipt(i))
	}
	return size
}
