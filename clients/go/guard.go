package custos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"
)

// defaultWait is how long a call waits for a human.
const defaultWait = 5 * time.Minute

// maxQuestions: the first answer may belong to another request, or its decision may not stand any more.
const maxQuestions = 2

// GuardOptions name the tool that Guard protects.
type GuardOptions struct {
	// AgentID is the agent that calls.
	AgentID string
	// Server is the source of the tool, as its catalogue is called; Name is the tool.
	Server string
	Name   string
	// DefinitionDigest is the digest of the tool's definition, where it has one; Annotations are its hints.
	DefinitionDigest string
	Annotations      *ToolCallAnnotations
	// Context holds facts that policies may use.
	Context map[string]any
	// Wait is how long a call waits for a human's approval; 0 is 5 minutes. Negative: an escalated call is refused at once.
	Wait time.Duration
	// ReportSignals also reports each outcome as a trust signal of the agent.
	ReportSignals bool
	// OnReportError gets the errors of reports that could not be delivered. They do not change the result of the call.
	OnReportError func(error)
}

// Terms tell how a call is carried out under an obligation.
type Terms[A, R any] struct {
	// Arguments replace those that were judged, unless nil.
	Arguments *A
	// Result is applied to the function's result, unless nil.
	Result func(R) (R, error)
}

// ObligationHandler keeps one type of obligation. Keep makes it.
type ObligationHandler[A, R any] struct {
	obligationType string
	keep           func(context.Context, Obligation, A) (Terms[A, R], error)
}

// Keep makes the handler of an obligation type, for example "max_rows". A handler that returns an error refuses the call.
func Keep[A, R any](obligationType string, keep func(context.Context, Obligation, A) (Terms[A, R], error)) ObligationHandler[A, R] {
	return ObligationHandler[A, R]{obligationType, keep}
}

// Guard wraps a function: each call asks for a decision first, and the function runs only when one permits it, at most once. The arguments
// are written as JSON once; the function gets a copy that is read from that JSON, so what runs is what was judged. A call that is not
// permitted, for whatever reason, is a RefusedError, or a CancelledError when the context was cancelled. Errors of the function are
// returned unchanged, and with them what it returned beside; a panic goes on. When an obligation has to be applied to the result, errors and
// the values of panics may contain what it removes, so a *RefusedError with HasRun replaces them. The outcome is recorded in the log in the background; see Client.Flush.
func Guard[A, R any](
	client *Client,
	options GuardOptions,
	function func(context.Context, A, *Decision) (R, error),
	handlers ...ObligationHandler[A, R],
) func(context.Context, A) (R, error) {
	g := &guard{client: client, options: options}
	return func(ctx context.Context, arguments A) (R, error) {
		var none R
		q, judged, err := newQuestion(options, arguments)
		if err != nil {
			return none, &RefusedError{Message: refusal(options, "the call can't be judged: "+err.Error()), Cause: err}
		}
		approvalID := approvalOf(ctx)
		ctx = WithApproval(ctx, "")
		judgement, err := g.decide(ctx, q, approvalID)
		if err != nil {
			return none, err
		}
		decision, isRun := judgement.decision, false
		// Deferred, so that a handler that panics is reported as well.
		defer func() {
			if !isRun {
				g.reportNotCalled(q, decision)
			}
		}()
		use, results, err := keepAll(ctx, decision, judged, handlers)
		if err != nil {
			if ctx.Err() != nil {
				return none, contextError(ctx, "the call was not decided in time")
			}
			return none, refused(options, decision, err.Error(), err)
		}
		// Handlers of obligations may take their time.
		if err := g.confirm(ctx, judgement); err != nil {
			return none, err
		}
		isRun = true
		return run(ctx, g, permitted[A, R]{q, decision, use, results}, function)
	}
}

type approvalKey struct{}

// WithApproval makes a guarded call with an approval: one that was refused with an ApprovalID is repeated so, with the same arguments and by
// the same key, once a human has approved it. The function gets a context without it.
func WithApproval(ctx context.Context, approvalID string) context.Context {
	if approvalID == approvalOf(ctx) {
		return ctx
	}
	return context.WithValue(ctx, approvalKey{}, approvalID)
}

func approvalOf(ctx context.Context) string {
	id, _ := ctx.Value(approvalKey{}).(string)
	return id
}

type guard struct {
	client  *Client
	options GuardOptions
}

// permitted is one call that may run.
type permitted[A, R any] struct {
	question  *question
	decision  *Decision
	arguments A
	results   []func(R) (R, error)
}

func run[A, R any](
	ctx context.Context,
	g *guard,
	call permitted[A, R],
	function func(context.Context, A, *Decision) (R, error),
) (R, error) {
	var none R
	outcome, digest := "failure", ""
	// Deferred, so that a function that panics is reported as well.
	defer func() { g.reportCalled(call.question, call.decision, outcome, digest) }()
	var result R
	var err error
	work := func() { result, err = function(ctx, call.arguments, call.decision) }
	if len(call.results) == 0 {
		work()
	} else if !finishes(work) {
		panic(g.withheld(call.decision, "panicked; the value is withheld, because an obligation of its result can not be applied to it"))
	}
	if err != nil && len(call.results) > 0 {
		return none, g.withheld(call.decision, "failed; its error is withheld, because an obligation of its result can not be applied to it")
	}
	if err != nil {
		return result, err
	}
	if reflect.ValueOf(result).Kind() == reflect.Func {
		return none, g.withheld(call.decision, "its result is a function, which would run without the decision; return what it gives")
	}
	outcome, digest = "success", digestOf(result)
	// An error of a handler may contain the result, so only its type is told.
	const unkept = "an obligation of its result could not be kept (%s), so the result is withheld"
	for _, apply := range call.results {
		if !finishes(func() { result, err = apply(result) }) {
			panic(g.withheld(call.decision, fmt.Sprintf(unkept, "a panic")))
		}
		if err != nil {
			return none, g.withheld(call.decision, fmt.Sprintf(unkept, reflect.TypeOf(err)))
		}
	}
	return result, nil
}

// finishes calls a function, and returns false when it panicked. That panic is over then: if it were replaced while it goes on, Go would print
// both values. runtime.Goexit, which has no value, goes on.
func finishes(call func()) (isFinished bool) {
	defer func() {
		if !isFinished {
			_ = recover()
		}
	}()
	call()
	return true
}

// keepAll applies the handlers of all obligations. No handler runs unless each obligation has one, because handlers may have effects.
func keepAll[A, R any](
	ctx context.Context,
	decision *Decision,
	arguments A,
	handlers []ObligationHandler[A, R],
) (A, []func(R) (R, error), error) {
	known := map[string]ObligationHandler[A, R]{}
	for _, handler := range handlers {
		known[handler.obligationType] = handler
	}
	for _, obligation := range decision.Obligations {
		if _, isKnown := known[obligation.Type]; !isKnown {
			return arguments, nil, fmt.Errorf("there is no handler for its obligation %q", obligation.Type)
		}
	}
	var results []func(R) (R, error)
	for _, obligation := range decision.Obligations {
		terms, err := known[obligation.Type].keep(ctx, obligation, arguments)
		if err != nil {
			return arguments, nil, err
		}
		if terms.Arguments != nil {
			arguments = *terms.Arguments
		}
		if terms.Result != nil {
			results = append(results, terms.Result)
		}
	}
	return arguments, results, nil
}

// decide returns a decision that permits the call, or an error. The approval is that of an earlier attempt, or empty.
func (g *guard) decide(ctx context.Context, q *question, approvalID string) (judgement, error) {
	judged, err := g.ask(ctx, q, approvalID)
	if err != nil {
		return judgement{}, err
	}
	if judged.decision.Verdict == VerdictEscalate {
		approvalID, err := g.waitForApproval(ctx, judged.decision)
		if err != nil {
			return judgement{}, err
		}
		if judged, err = g.ask(ctx, q, approvalID); err != nil {
			return judgement{}, err
		}
	}
	if !judged.decision.Allowed {
		return judgement{}, refused(g.options, judged.decision, "", nil)
	}
	return judged, nil
}

// ask returns a decision about this question. Each question has a new id, which is its Idempotency-Key and X-Request-Id.
func (g *guard) ask(ctx context.Context, q *question, approvalID string) (judgement, error) {
	var cause error
	for asked := 0; asked < maxQuestions; asked++ {
		id, age := newID(), g.client.transport.startTimer()
		header := http.Header{"Idempotency-Key": {id}, "X-Request-Id": {id}}
		got, err := g.client.transport.send(ctx, request{operation: "POST /v1/enforce", body: q.body(approvalID), header: header})
		if err == nil {
			decision, isForOther, err := readDecision(q, id, got)
			if err == nil {
				return judgement{decision, age}, nil
			}
			if cause = err; !isForOther {
				break
			}
			continue
		}
		if ctx.Err() != nil {
			return judgement{}, contextError(ctx, "the call was not decided in time")
		}
		cause = err
		var problem *APIError
		if !errors.As(err, &problem) || problem.Code != codeDecisionLapsed {
			break
		}
	}
	return judgement{}, withoutDecision(g.options, cause, approvalID)
}

// waitForApproval returns the id of the approval of an escalated call, once a human has given it.
func (g *guard) waitForApproval(ctx context.Context, decision *Decision) (string, error) {
	wait := g.options.Wait
	if wait == 0 {
		wait = defaultWait
	}
	if decision.Approval == nil || wait < 0 {
		return "", refused(g.options, decision, "", nil)
	}
	id := decision.Approval.ApprovalID
	state, err := g.client.Approvals.WaitDecided(ctx, id, wait)
	if err == nil {
		// Whether an approval that is used can be used by this call is up to the service.
		if state.Status == "approved" || state.Status == "used" {
			return id, nil
		}
		why := "its approval is " + state.Status
		if state.Reason != nil {
			why += ": " + *state.Reason
		}
		return "", refused(g.options, decision, why, nil)
	}
	if ctx.Err() != nil {
		return "", contextError(ctx, "no human has decided in time")
	}
	var late *TimeoutError
	if errors.As(err, &late) {
		return "", refused(g.options, decision, "no human has decided in time", err)
	}
	return "", withoutDecision(g.options, err, id)
}
