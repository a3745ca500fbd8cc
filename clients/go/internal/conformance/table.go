package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	custos "github.com/custos/custos-go"
	"github.com/custos/custos-go/verify"
)

// call runs one method of the client with the arguments of a step.
type call = func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error)

// The helpers below make a call from a resource of the client and one of its methods.

func with[S, In, Out any](of func(*custos.Client) S, method func(S, context.Context, In) (Out, error)) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		in, err := into[In](arguments)
		if err != nil {
			return nil, err
		}
		return method(of(c), ctx, in)
	}
}

func withID[S, Out any](of func(*custos.Client) S, method func(S, context.Context, string) (Out, error), name string) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		return method(of(c), ctx, idOf(arguments, name))
	}
}

func withBoth[S, In, Out any](of func(*custos.Client) S, method func(S, context.Context, string, In) (Out, error), name string) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		in, err := into[In](arguments, name, "id")
		if err != nil {
			return nil, err
		}
		return method(of(c), ctx, idOf(arguments, name), in)
	}
}

func withNothing[S, Out any](of func(*custos.Client) S, method func(S, context.Context) (Out, error)) call {
	return func(ctx context.Context, c *custos.Client, _ map[string]any) (any, error) { return method(of(c), ctx) }
}

func all[S, In, T any](of func(*custos.Client) S, method func(S, context.Context, In) *custos.Iterator[T]) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		in, err := into[In](arguments)
		if err != nil {
			return nil, err
		}
		return method(of(c), ctx, in).Collect()
	}
}

func allOf[S, In, T any](of func(*custos.Client) S, method func(S, context.Context, string, In) *custos.Iterator[T], name string) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		in, err := into[In](arguments, name, "id")
		if err != nil {
			return nil, err
		}
		return method(of(c), ctx, idOf(arguments, name), in).Collect()
	}
}

func wait[S, Out any](of func(*custos.Client) S, method func(S, context.Context, string, time.Duration) (Out, error)) call {
	return func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		seconds, isGiven := arguments["timeoutSeconds"].(float64)
		if !isGiven {
			seconds = 60
		}
		return method(of(c), ctx, idOf(arguments, "id"), time.Duration(seconds*float64(time.Second)))
	}
}

// idOf is the argument with this name, or "id".
func idOf(arguments map[string]any, name string) string {
	if id, isText := arguments[name].(string); isText {
		return id
	}
	id, _ := arguments["id"].(string)
	return id
}

func intent(c *custos.Client) custos.IntentService       { return c.Intent }
func intents(c *custos.Client) custos.IntentsService     { return c.Intents }
func decisions(c *custos.Client) custos.DecisionsService { return c.Decisions }
func approvals(c *custos.Client) custos.ApprovalsService { return c.Approvals }
func proofs(c *custos.Client) custos.ProofsService       { return c.Proofs }
func agents(c *custos.Client) custos.AgentsService       { return c.Agents }
func resources(c *custos.Client) custos.ResourcesService { return c.Resources }
func trust(c *custos.Client) custos.TrustService         { return c.Trust }
func log(c *custos.Client) custos.LogService             { return c.Log }
func keys(c *custos.Client) custos.KeysService           { return c.Keys }
func policies(c *custos.Client) custos.PoliciesService   { return c.Policies }
func tools(c *custos.Client) custos.ToolsService         { return c.Tools }
func webhooks(c *custos.Client) custos.WebhooksService   { return c.Webhooks }
func halt(c *custos.Client) custos.HaltService           { return c.Halt }
func reference(c *custos.Client) custos.ReferenceService { return c.Reference }

var calls = map[string]call{
	"intent.parse":             with(intent, custos.IntentService.Parse),
	"intent.get":               withID(intent, custos.IntentService.Get, "id"),
	"decisions.get":            withID(decisions, custos.DecisionsService.Get, "id"),
	"decisions.list":           with(decisions, custos.DecisionsService.List),
	"all:decisions.list":       all(decisions, custos.DecisionsService.All),
	"decisions.reportOutcome":  withBoth(decisions, custos.DecisionsService.ReportOutcome, "id"),
	"intents.submit":           with(intents, custos.IntentsService.Submit),
	"intents.get":              withID(intents, custos.IntentsService.Get, "id"),
	"intents.list":             with(intents, custos.IntentsService.List),
	"all:intents.list":         all(intents, custos.IntentsService.All),
	"intents.waitDecided":      wait(intents, custos.IntentsService.WaitDecided),
	"approvals.get":            withID(approvals, custos.ApprovalsService.Get, "id"),
	"approvals.list":           with(approvals, custos.ApprovalsService.List),
	"all:approvals.list":       all(approvals, custos.ApprovalsService.All),
	"approvals.approve":        withBoth(approvals, custos.ApprovalsService.Approve, "id"),
	"approvals.reject":         withBoth(approvals, custos.ApprovalsService.Reject, "id"),
	"approvals.waitDecided":    wait(approvals, custos.ApprovalsService.WaitDecided),
	"proofs.create":            with(proofs, custos.ProofsService.Create),
	"proofs.get":               withID(proofs, custos.ProofsService.Get, "id"),
	"proofs.list":              with(proofs, custos.ProofsService.List),
	"all:proofs.list":          all(proofs, custos.ProofsService.All),
	"proofs.chain":             withBoth(proofs, custos.ProofsService.Chain, "entityId"),
	"all:proofs.chain":         allOf(proofs, custos.ProofsService.AllOfChain, "entityId"),
	"proofs.waitAnchored":      wait(proofs, custos.ProofsService.WaitAnchored),
	"agents.create":            with(agents, custos.AgentsService.Create),
	"agents.get":               withID(agents, custos.AgentsService.Get, "agentId"),
	"agents.list":              with(agents, custos.AgentsService.List),
	"all:agents.list":          all(agents, custos.AgentsService.All),
	"agents.update":            withBoth(agents, custos.AgentsService.Update, "agentId"),
	"agents.terminate":         withID(agents, custos.AgentsService.Terminate, "agentId"),
	"trust.signal":             with(trust, custos.TrustService.Signal),
	"trust.get":                withBoth(trust, custos.TrustService.Get, "agentId"),
	"trust.history":            withBoth(trust, custos.TrustService.History, "agentId"),
	"all:trust.history":        allOf(trust, custos.TrustService.AllHistory, "agentId"),
	"log.checkpoint":           withNothing(log, custos.LogService.Checkpoint),
	"log.checkpoints":          with(log, custos.LogService.Checkpoints),
	"all:log.checkpoints":      all(log, custos.LogService.AllCheckpoints),
	"log.keys":                 withNothing(log, custos.LogService.Keys),
	"log.consistency":          with(log, custos.LogService.Consistency),
	"log.leaves":               with(log, custos.LogService.Leaves),
	"keys.create":              with(keys, custos.KeysService.Create),
	"keys.list":                with(keys, custos.KeysService.List),
	"all:keys.list":            all(keys, custos.KeysService.All),
	"keys.revoke":              withID(keys, custos.KeysService.Revoke, "keyId"),
	"keys.rotate":              withBoth(keys, custos.KeysService.Rotate, "keyId"),
	"policies.active":          withNothing(policies, custos.PoliciesService.Active),
	"policies.get":             withID(policies, custos.PoliciesService.Get, "digest"),
	"policies.validate":        with(policies, custos.PoliciesService.Validate),
	"policies.replay":          with(policies, custos.PoliciesService.Replay),
	"policies.getReplay":       withID(policies, custos.PoliciesService.GetReplay, "id"),
	"policies.shadow":          withNothing(policies, custos.PoliciesService.Shadow),
	"policies.push":            with(policies, custos.PoliciesService.Push),
	"policies.rollback":        with(policies, custos.PoliciesService.Rollback),
	"policies.followFolder":    with(policies, custos.PoliciesService.FollowFolder),
	"policies.promote":         with(policies, custos.PoliciesService.Promote),
	"policies.dropStage":       withBoth(policies, custos.PoliciesService.DropStage, "digest"),
	"policies.withdraw":        with(policies, custos.PoliciesService.Withdraw),
	"policies.difference":      with(policies, custos.PoliciesService.Difference),
	"policies.stages":          withNothing(policies, custos.PoliciesService.Stages),
	"policies.activations":     with(policies, custos.PoliciesService.Activations),
	"all:policies.activations": all(policies, custos.PoliciesService.AllActivations),
	"policies.approvals":       with(policies, custos.PoliciesService.Approvals),
	"all:policies.approvals":   all(policies, custos.PoliciesService.AllApprovals),
	"policies.getApproval":     withID(policies, custos.PoliciesService.GetApproval, "approvalId"),
	"policies.approve":         withBoth(policies, custos.PoliciesService.Approve, "approvalId"),
	"policies.reject":          withBoth(policies, custos.PoliciesService.Reject, "approvalId"),
	"tools.list":               with(tools, custos.ToolsService.List),
	"tools.get":                withID(tools, custos.ToolsService.Get, "server"),
	"resources.put":            withBoth(resources, custos.ResourcesService.Put, "name"),
	"resources.get":            withID(resources, custos.ResourcesService.Get, "name"),
	"resources.list":           with(resources, custos.ResourcesService.List),
	"resources.remove":         withID(resources, custos.ResourcesService.Remove, "name"),
	"all:tools.list":           all(tools, custos.ToolsService.All),
	"webhooks.create":          with(webhooks, custos.WebhooksService.Create),
	"webhooks.list":            withNothing(webhooks, custos.WebhooksService.List),
	"webhooks.update":          withBoth(webhooks, custos.WebhooksService.Update, "webhookId"),
	"webhooks.remove":          withID(webhooks, custos.WebhooksService.Remove, "webhookId"),
	"webhooks.rotate":          withBoth(webhooks, custos.WebhooksService.Rotate, "webhookId"),
	"webhooks.deliveries":      withBoth(webhooks, custos.WebhooksService.Deliveries, "webhookId"),
	"all:webhooks.deliveries":  allOf(webhooks, custos.WebhooksService.AllDeliveries, "webhookId"),
	"halt.set":                 with(halt, custos.HaltService.Set),
	"halt.get":                 withNothing(halt, custos.HaltService.Get),
	"halt.lift":                with(halt, custos.HaltService.Lift),
	"reference.tiers":          withNothing(reference, custos.ReferenceService.Tiers),
	"reference.rateLimits":     withNothing(reference, custos.ReferenceService.RateLimits),
	"reference.errors":         withNothing(reference, custos.ReferenceService.Errors),
	"reference.scopes":         withNothing(reference, custos.ReferenceService.Scopes),

	"webhooks.replayDelivery": func(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
		return c.Webhooks.ReplayDelivery(ctx, idOf(arguments, "webhookId"), idOf(arguments, "deliveryId"))
	},
	"enforce.evaluate":      evaluate,
	"enforce.evaluateBatch": evaluateBatch,
	"proofs.createBatch":    createBatch,
	"proofs.verify":         verifyByService,
	"trust.signals":         signals,
	"verifyReceipt":         verifyReceipt,
	"health":                func(ctx context.Context, c *custos.Client, _ map[string]any) (any, error) { return c.Health(ctx) },
	"ready":                 func(ctx context.Context, c *custos.Client, _ map[string]any) (any, error) { return c.Ready(ctx) },
	"flush":                 func(ctx context.Context, c *custos.Client, _ map[string]any) (any, error) { return nil, c.Flush(ctx) },
}

func evaluate(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
	body, err := into[custos.EnforceRequest](arguments)
	if err != nil {
		return nil, err
	}
	if body.DryRun != nil && *body.DryRun {
		return c.Enforce.DryRun(ctx, body)
	}
	return c.Enforce.Evaluate(ctx, body)
}

func evaluateBatch(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
	body, err := into[custos.EnforceBatchRequest](arguments)
	if err != nil {
		return nil, err
	}
	return c.Enforce.EvaluateBatch(ctx, body.Requests)
}

func createBatch(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
	body, err := into[custos.ProofBatchCreate](arguments)
	if err != nil {
		return nil, err
	}
	return c.Proofs.CreateBatch(ctx, body.Proofs)
}

func signals(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
	body, err := into[custos.TrustSignalBatch](arguments)
	if err != nil {
		return nil, err
	}
	return c.Trust.Signals(ctx, body.Signals)
}

func verifyByService(ctx context.Context, c *custos.Client, arguments map[string]any) (any, error) {
	receipt, err := textOf(arguments["receipt"])
	if err != nil {
		return nil, err
	}
	return c.Proofs.Verify(ctx, receipt)
}

func verifyReceipt(_ context.Context, _ *custos.Client, arguments map[string]any) (any, error) {
	receipt, err := textOf(arguments["receipt"])
	if err != nil {
		return nil, err
	}
	keysText, err := textOf(arguments["keys"])
	if err != nil {
		return nil, err
	}
	keys, err := verify.ParseKeys(keysText)
	if err != nil {
		return nil, err
	}
	verified, err := verify.Receipt(receipt, keys)
	if err != nil {
		return nil, err
	}
	return receiptMembers(verified), nil
}

// textOf is a text as it is, and any other value as JSON.
func textOf(value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return nil, errors.New("an argument is missing")
	case string:
		return []byte(v), nil
	}
	return json.Marshal(value)
}
