package custos

import "context"

// Iterator goes through all items of a list and fetches pages as they are needed:
//
//	agents := client.Agents.All(ctx, custos.AgentsQuery{})
//	for agents.Next() {
//		use(agents.Value())
//	}
//	if err := agents.Err(); err != nil { ... }
type Iterator[T any] struct {
	fetch   func(ctx context.Context, cursor string) ([]T, *string, error)
	ctx     context.Context
	cursor  string
	items   []T
	current T
	isLast  bool
	err     error
}

// iterate makes an iterator from the function that fetches a page and the one that takes items and next cursor from it.
func iterate[L, T any](
	ctx context.Context,
	cursor string,
	fetch func(context.Context, string) (*L, error),
	split func(*L) ([]T, *string),
) *Iterator[T] {
	fetchItems := func(ctx context.Context, cursor string) ([]T, *string, error) {
		page, err := fetch(ctx, cursor)
		if err != nil {
			return nil, nil, err
		}
		items, next := split(page)
		return items, next, nil
	}
	return &Iterator[T]{fetch: fetchItems, ctx: ctx, cursor: cursor}
}

// Next moves to the next item. It returns false at the end and after an error.
func (i *Iterator[T]) Next() bool {
	for len(i.items) == 0 {
		if i.isLast || i.err != nil {
			return false
		}
		items, next, err := i.fetch(i.ctx, i.cursor)
		if err != nil {
			i.err = err
			return false
		}
		i.items = items
		// A cursor that repeats itself would never end.
		i.isLast = next == nil || *next == i.cursor
		if next != nil {
			i.cursor = *next
		}
	}
	i.current, i.items = i.items[0], i.items[1:]
	return true
}

// Value is the current item.
func (i *Iterator[T]) Value() T { return i.current }

// Err is the error that ended the iteration, if one did.
func (i *Iterator[T]) Err() error { return i.err }

// Collect returns all items.
func (i *Iterator[T]) Collect() ([]T, error) {
	items := []T{}
	for i.Next() {
		items = append(items, i.Value())
	}
	return items, i.Err()
}
