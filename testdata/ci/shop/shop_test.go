package shop

import (
	"context"
	"testing"
)

func TestOrders(t *testing.T) {
	for i := 0; i < 120; i++ {
		if Order(context.Background(), 100) == 0 {
			t.Fatal("an order without receipts")
		}
	}
}
