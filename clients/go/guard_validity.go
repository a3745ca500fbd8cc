package custos

import (
	"context"
	"errors"
	"strings"
	"time"
)

const (
	// fresh: a decision that is no older is acted upon without asking again.
	fresh = 5 * time.Second
	// expiryMargin: nothing begins so shortly before the decision expires.
	expiryMargin = 5 * time.Second
)

// judgement is a decision and the time since its question was sent, so that the decision is younger.
type judgement struct {
	decision *Decision
	age      func() time.Duration
}

// lifeOf is how long a decision may be acted upon, by the two times of the service: the clock of this machine may be wrong. It is 0 when they
// can't be read.
func lifeOf(decision *Decision) time.Duration {
	evaluated, err := parseTime(decision.EvaluatedAt)
	if err != nil {
		return 0
	}
	expires, err := parseTime(decision.ExpiresAt)
	if err != nil {
		return 0
	}
	return expires.Sub(evaluated)
}

// parseTime reads RFC 3339; time.Parse alone takes a comma before the fraction, too.
func parseTime(text string) (time.Time, error) {
	if strings.Contains(text, ",") {
		return time.Time{}, errors.New("no time of RFC 3339")
	}
	return time.Parse(time.RFC3339, text)
}

// confirm returns an error unless the decision may be acted upon now. It is for one immediate action: a halt or a pause that follows it has no
// effect on its answer, so that one that is not fresh, after a slow handler of an obligation, is asked about.
func (g *guard) confirm(ctx context.Context, j judgement) error {
	if ctx.Err() != nil {
		return contextError(ctx, "the call was not decided in time")
	}
	age, id := j.age(), j.decision.DecisionID
	if age >= lifeOf(j.decision)-expiryMargin {
		return refused(g.options, j.decision, "its decision has expired", nil)
	}
	if age < fresh {
		return nil
	}
	got, err := g.client.transport.send(ctx, request{operation: "GET /v1/decisions/{id}", path: []string{id}})
	if ctx.Err() != nil {
		return contextError(ctx, "the call was not decided in time")
	}
	if err != nil {
		return refused(g.options, j.decision, "it is not known whether its decision still stands: "+err.Error(), err)
	}
	// Everything but a clear yes is a no.
	record, _ := got.value.(map[string]any)
	if stands, _ := record["stands"].(bool); stands && record["decision_id"] == id {
		return nil
	}
	why := "its decision does not stand any more"
	if reason, isText := record["stands_reason"].(string); isText {
		why += " (" + reason + ")"
	}
	return refused(g.options, j.decision, why, nil)
}

// startTimer returns the time since this call, by the clock that has gone further: the monotonic one stands still while the machine sleeps,
// and the wall clock may be set back.
func (t *transport) startTimer() func() time.Duration {
	start := t.now()
	return func() time.Duration {
		now := t.now()
		byMonotonic, byWall := now.Sub(start), now.Round(0).Sub(start.Round(0))
		if byWall > byMonotonic {
			return byWall
		}
		return byMonotonic
	}
}
