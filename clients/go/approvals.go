package custos

import (
	"context"
	"time"
)

// ApprovalsService is for the humans who decide escalated calls.
type ApprovalsService struct{ service }

// Get returns an approval with what the human has to judge.
func (s ApprovalsService) Get(ctx context.Context, id string) (*ApprovalDetail, error) {
	return get[ApprovalDetail](ctx, s.transport, approvalRequest(id))
}

// List returns one page, newest first.
func (s ApprovalsService) List(ctx context.Context, query ApprovalsQuery) (*ApprovalList, error) {
	return get[ApprovalList](ctx, s.transport, request{operation: "GET /v1/approvals", query: query})
}

// All goes through all pages.
func (s ApprovalsService) All(ctx context.Context, query ApprovalsQuery) *Iterator[Approval] {
	fetch := func(ctx context.Context, cursor string) (*ApprovalList, error) {
		query.Cursor = cursor
		return s.List(ctx, query)
	}
	return iterate(ctx, query.Cursor, fetch, func(page *ApprovalList) ([]Approval, *string) { return page.Items, page.NextCursor })
}

// Approve permits the call once.
func (s ApprovalsService) Approve(ctx context.Context, id string, body ApprovalVerdict) (*ApprovalDetail, error) {
	r := request{operation: "POST /v1/approvals/{id}/approve", path: []string{id}, body: body}
	return get[ApprovalDetail](ctx, s.transport, r)
}

// Reject refuses the call.
func (s ApprovalsService) Reject(ctx context.Context, id string, body ApprovalVerdict) (*ApprovalDetail, error) {
	r := request{operation: "POST /v1/approvals/{id}/reject", path: []string{id}, body: body}
	return get[ApprovalDetail](ctx, s.transport, r)
}

// WaitDecided waits until an approval is not pending any more. At the end of the timeout it returns a TimeoutError with the last state.
func (s ApprovalsService) WaitDecided(ctx context.Context, id string, timeout time.Duration) (*ApprovalDetail, error) {
	return waitUntil(ctx, s.transport, approvalRequest(id), timeout, isApprovalDecided)
}

func approvalRequest(id string) request {
	return request{operation: "GET /v1/approvals/{id}", path: []string{id}}
}

func isApprovalDecided(approval *ApprovalDetail) bool { return approval.Status != "pending" }
