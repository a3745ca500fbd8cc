package custos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"
)

func intentOf(status string) string {
	return fmt.Sprintf(`{"intentId":"int_1","agentId":"a","action":"read","resource":"r","status":%q,"approvalId":null,`+
		`"submittedAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","decision":null}`, status)
}

func TestWaitsUntilAStateIsReachedThroughOutages(t *testing.T) {
	held := reply(200, intentOf("queued"), "Preference-Applied", "wait=9")
	client, service := start(t, held, reply(502, "<html>"), reply(200, intentOf("decided")))
	intent, err := client.Intents.WaitDecided(context.Background(), "int_1", 10*time.Second)
	if err != nil || intent.Status != "decided" || len(service.seen()) != 3 {
		t.Fatalf("%d requests: %v", len(service.seen()), err)
	}
	if got := service.seen()[0].Header.Get("Prefer"); got != "wait=9" {
		t.Errorf("Prefer: %s", got)
	}
}

func TestWaitsWithBackOffWhenTheServiceDoesNotHoldRequests(t *testing.T) {
	client, service := start(t, reply(200, intentOf("queued")))
	_, err := client.Intents.WaitDecided(context.Background(), "int_1", 600*time.Millisecond)
	var late *TimeoutError
	if !errors.As(err, &late) || late.State.(*SubmittedIntent).Status != "queued" {
		t.Fatal(err)
	}
	if count := len(service.seen()); count < 2 || count > 3 {
		t.Errorf("%d requests in 600 ms", count)
	}
}

func TestEndsAWaitAtOnceWhenItIsOfNoUse(t *testing.T) {
	client, _ := start(t, reply(404, problem(404, "E4002", false)))
	var api *APIError
	if _, err := client.Intents.WaitDecided(context.Background(), "int_1", time.Minute); !errors.As(err, &api) {
		t.Error(err)
	}
	client, _ = start(t, reply(200, intentOf("queued")))
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	var cancelled *CancelledError
	if _, err := client.Intents.WaitDecided(ctx, "int_1", time.Minute); !errors.As(err, &cancelled) {
		t.Error(err)
	}
}

// escalating is a service that escalates a call until it is asked with an approval that has been given.
func escalating(status string) (http.HandlerFunc, *governed) {
	service := &governed{}
	service.change = func(decision map[string]any) {
		if service.approvalID != "" {
			return
		}
		decision["verdict"], decision["allowed"] = VerdictEscalate, false
		decision["approval"] = map[string]any{"approval_id": "apr_1", "expires_at": "2026-01-01T00:00:00.000Z"}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			service.ServeHTTP(w, r)
			return
		}
		approval := map[string]any{"status": status}
		for _, member := range []string{"approvalId", "agentId", "keyId", "digest", "createdAt", "expiresAt"} {
			approval[member] = "x"
		}
		for _, member := range []string{
			"requested", "intentId", "decidedAt", "decidedBy", "reason", "usedAt", "usedBy", "usedDecisionId", "bound", "masked", "context",
		} {
			approval[member] = nil
		}
		approval["mayDecide"], approval["mayApprove"], approval["canBeMet"] = true, true, true
		approval["approvers"], approval["votes"], approval["decision"] = nil, []any{}, recordedDecision
		_ = json.NewEncoder(w).Encode(approval)
	}, service
}

var recordedDecision = json.RawMessage(`{"decision_id":"d","allowed":false,"verdict":"ESCALATE","agent_id":"a","key_id":"k",
	"intent":{"normalized":"","domain":"","action":"read","verb":"","resource":"","effect":"read","traits":[],"parsed":true,
	"risk":{"level":"low","score":1,"factors":[]}},
	"trust":{"claimed_level":null,"recorded_level":1,"effective_level":1,"score":250,"uncertainty":1,"as_of":{"signals":0,"day":"2026-01-01"}},
	"reasons":[],"obligations":[],"policy_set":{"digest":"d"},"evaluated_at":"2026-01-01T00:00:00.000Z","proof":{"proof_id":"p"},
	"expires_at":"2026-01-01T00:00:00.000Z","stands":true}`)

func TestGuardWaitsForTheApprovalOfAHuman(t *testing.T) {
	for status, isPermitted := range map[string]bool{"approved": true, "used": true, "rejected": false, "expired": false, "pending": false} {
		t.Run(status, func(t *testing.T) {
			handler, service := escalating(status)
			client, _ := start(t, handler)
			options := guarded
			// Only a wait for what does not come may be short: the answers of a busy machine are late.
			options.Wait = 10 * time.Second
			if status == "pending" {
				options.Wait = 50 * time.Millisecond
			}
			ran := 0
			write := Guard(client, options, func(context.Context, arguments, *Decision) (int, error) { ran++; return ran, nil })
			_, err := write(context.Background(), arguments{Path: "/a"})
			if isPermitted && (err != nil || ran != 1 || service.asked != 2 || service.approvalID != "apr_1") {
				t.Errorf("ran %d times, asked %d times: %v", ran, service.asked, err)
			}
			var refused *RefusedError
			isRefused := errors.As(err, &refused) && refused.ApprovalID == "apr_1" && refused.Verdict == VerdictEscalate
			if !isPermitted && (!isRefused || ran != 0 || service.asked != 1) {
				t.Errorf("ran %d times, asked %d times: %v", ran, service.asked, err)
			}
		})
	}
}

func TestGuardUsesAnApprovalOfTheContextForOneCall(t *testing.T) {
	service := &governed{change: func(map[string]any) {}}
	client, _ := start(t, service.ServeHTTP)
	var given []string
	inner := Guard(client, guarded, func(context.Context, arguments, *Decision) (int, error) { return 0, nil })
	outer := Guard(client, guarded, func(ctx context.Context, args arguments, _ *Decision) (int, error) {
		given = append(given, service.approvalID)
		return inner(ctx, args)
	})
	if _, err := outer(WithApproval(context.Background(), "apr_1"), arguments{Path: "/a"}); err != nil {
		t.Fatal(err)
	}
	if given = append(given, service.approvalID); !reflect.DeepEqual(given, []string{"apr_1", ""}) {
		t.Errorf("asked with the approvals %q", given)
	}
	if err := client.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestGuardGivesOutNoFunctionThatWouldRunWithoutTheDecision(t *testing.T) {
	service := &governed{change: func(map[string]any) {}}
	client, _ := start(t, service.ServeHTTP)
	lazy := Guard(client, guarded, func(context.Context, arguments, *Decision) (func(), error) { return func() {}, nil })
	result, err := lazy(context.Background(), arguments{Path: "/a"})
	var refused *RefusedError
	if result != nil || !errors.As(err, &refused) || !refused.HasRun {
		t.Errorf("gave %T: %v", result, err)
	}
	if err := client.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestGuardAsksOnceMoreWhenADecisionHasLapsed(t *testing.T) {
	service := &governed{change: func(map[string]any) {}}
	client, requests := start(t, reply(409, problem(409, codeDecisionLapsed, false)), service.ServeHTTP)
	write := Guard(client, guarded, func(context.Context, arguments, *Decision) (bool, error) { return true, nil })
	if _, err := write(context.Background(), arguments{}); err != nil {
		t.Fatal(err)
	}
	first, second := requests.seen()[0].Header, requests.seen()[1].Header
	if first.Get("Idempotency-Key") == second.Get("Idempotency-Key") || first.Get("X-Request-Id") != first.Get("Idempotency-Key") {
		t.Errorf("the ids are %v and %v", first, second)
	}
}
