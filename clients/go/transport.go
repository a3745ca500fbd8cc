package custos

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/custos/custos-go/internal/strictjson"
)

const maxAnswerBytes = 8 << 20

// transport sends requests and reads answers.
type transport struct {
	base      string
	authorize func(http.Header)
	timeout   time.Duration
	retries   int
	http      *http.Client
	// now is time.Now, except in tests.
	now func() time.Time
}

// request is one operation of the API.
type request struct {
	// operation is the method and the path template, as the description names them.
	operation string
	// path holds the values for the names in braces, in their order.
	path []string
	// query is a struct with tags `query:"name"`, or nil.
	query any
	body  any
	// header holds members beyond the usual ones.
	header http.Header
	// timeout replaces the client's.
	timeout time.Duration
	isText  bool
}

// answer is a response with a status of 2xx.
type answer struct {
	status int
	header http.Header
	// value is the parsed JSON; text is the body.
	value any
	text  []byte
}

func (r request) method() string {
	method, _, _ := strings.Cut(r.operation, " ")
	return method
}

var pathName = regexp.MustCompile(`\{[^}]+\}`)

func (r request) address(base string) (string, error) {
	_, template, _ := strings.Cut(r.operation, " ")
	values, isComplete := r.path, true
	path := pathName.ReplaceAllStringFunc(template, func(string) string {
		// An empty value would address the list, and "." would be removed by a proxy.
		if len(values) == 0 || values[0] == "" || values[0] == "." || values[0] == ".." {
			isComplete = false
			return ""
		}
		value := url.PathEscape(values[0])
		values = values[1:]
		return value
	})
	if !isComplete {
		return "", fmt.Errorf("custos: %s needs an id that is not empty", r.operation)
	}
	if query := queryOf(r.query); query != "" {
		path += "?" + query
	}
	return base + path, nil
}

func queryOf(params any) string {
	if params == nil {
		return ""
	}
	values := url.Values{}
	struct_ := reflect.ValueOf(params)
	for i := 0; i < struct_.NumField(); i++ {
		name, option, _ := strings.Cut(struct_.Type().Field(i).Tag.Get("query"), ",")
		field := struct_.Field(i)
		if field.IsZero() && option != "required" {
			continue
		}
		values.Set(name, fmt.Sprint(field.Interface()))
	}
	return values.Encode()
}

// get sends a request and decodes the answer.
func get[T any](ctx context.Context, t *transport, r request) (*T, error) {
	out, _, err := getAnswer[T](ctx, t, r)
	return out, err
}

func getAnswer[T any](ctx context.Context, t *transport, r request) (*T, *answer, error) {
	got, err := t.send(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	out := new(T)
	if err := strictjson.Decode(got.value, out); err != nil {
		return nil, nil, got.unexpected(err.Error())
	}
	return out, got, nil
}

func (a *answer) unexpected(why string) *UnexpectedAnswerError {
	return &UnexpectedAnswerError{
		Status: a.status, RequestID: a.header.Get("X-Request-Id"), RetryAfter: retryAfterOf(a.header), Message: why,
	}
}

// send repeats the request where that is safe, until its time is over.
func (t *transport) send(ctx context.Context, r request) (*answer, error) {
	address, err := r.address(t.base)
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.body != nil {
		if body, err = json.Marshal(r.body); err != nil {
			return nil, fmt.Errorf("custos: the request is not JSON: %w", err)
		}
	}
	header := t.headerOf(ctx, r, body != nil)
	if !isKeyOfIdempotency(header.Get("Idempotency-Key")) && r.method() == http.MethodPost {
		return nil, errors.New("custos: an Idempotency-Key has 1 to 255 printable ASCII characters")
	}
	limit := t.timeout
	if r.timeout > 0 {
		limit = r.timeout
	}
	attempts, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for done := 0; ; done++ {
		got, err := t.attempt(attempts, r, address, header, body)
		if err == nil {
			return got, nil
		}
		if attempts.Err() != nil && isConnectionError(err) {
			return nil, t.endOf(ctx, r, limit)
		}
		delay := delayBefore(err, done)
		deadline, _ := attempts.Deadline()
		if done >= t.retries || !mayRepeat(err, r.operation) || time.Until(deadline) <= delay {
			return nil, err
		}
		if !sleep(attempts, delay) {
			return nil, t.endOf(ctx, r, limit)
		}
	}
}

func isConnectionError(err error) bool {
	var broken *ConnectionError
	var truncated *UnexpectedAnswerError
	return errors.As(err, &broken) || (errors.As(err, &truncated) && truncated.isTruncated)
}

// endOf is the error of a request whose time is over or whose caller has cancelled it.
func (t *transport) endOf(ctx context.Context, r request, limit time.Duration) error {
	if ctx.Err() != nil {
		return contextError(ctx, r.operation+" was not answered in time")
	}
	return &TimeoutError{Message: fmt.Sprintf("%s was not answered within %s", r.operation, limit)}
}

func contextError(ctx context.Context, late string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &TimeoutError{Message: late}
	}
	return &CancelledError{}
}

type idempotencyKey struct{}

// WithIdempotencyKey gives the call with this context its Idempotency-Key, if it is a POST: a call that is repeated with the key of an
// earlier one, also by another process, has its effect once. Without it each call has a random key, which its own retries keep. A guarded call
// has its own.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// isKeyOfIdempotency tells whether a header may have this value. Otherwise the request would fail as if the service were away.
func isKeyOfIdempotency(key string) bool {
	return key != "" && len(key) <= 255 && strings.IndexFunc(key, func(char rune) bool { return char < ' ' || char > '~' }) == -1
}

func (t *transport) headerOf(ctx context.Context, r request, hasBody bool) http.Header {
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"custos-go"}}
	if r.isText {
		header.Set("Accept", "text/plain")
	}
	if hasBody {
		header.Set("Content-Type", "application/json")
	}
	if r.method() == http.MethodPost {
		key, _ := ctx.Value(idempotencyKey{}).(string)
		if key == "" {
			key = newID()
		}
		header.Set("Idempotency-Key", key)
	}
	for name, values := range r.header {
		header[name] = values
	}
	t.authorize(header)
	return header
}

// attempt sends the request once.
func (t *transport) attempt(ctx context.Context, r request, address string, header http.Header, body []byte) (*answer, error) {
	httpRequest, err := http.NewRequestWithContext(ctx, r.method(), address, nil)
	if err != nil {
		return nil, fmt.Errorf("custos: the request can't be built: %w", err)
	}
	httpRequest.Header = header.Clone()
	// With GetBody, or without any body, net/http would repeat the request by itself on a new connection.
	httpRequest.Body = io.NopCloser(bytes.NewReader(body))
	httpRequest.ContentLength = int64(len(body))
	response, err := t.http.Do(httpRequest)
	if err != nil {
		return nil, &ConnectionError{Cause: withoutAddress(err)}
	}
	defer response.Body.Close()
	got := &answer{status: response.StatusCode, header: response.Header}
	got.text, err = io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		truncated := got.unexpected("it is incomplete: " + err.Error())
		truncated.isTruncated = true
		return nil, truncated
	}
	return got, got.check(r)
}

// withoutAddress leaves out the URL, which the caller knows and which would repeat ids in logs.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// check parses the body and turns problems into errors.
func (a *answer) check(r request) error {
	if len(a.text) > maxAnswerBytes {
		return a.unexpected("it has more than 8 MB")
	}
	isGood := a.status >= 200 && a.status < 300
	if a.status >= 300 && a.status < 400 {
		return a.unexpected("it is a redirect, which is not followed")
	}
	if isGood && r.isText {
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
			return a.unexpected("it is not plain text")
		}
		return nil
	}
	value, err := strictjson.Parse(a.text, answerLimits)
	if err != nil {
		return a.unexpected("it is not JSON: " + err.Error())
	}
	if isGood {
		a.value = value
		return nil
	}
	var problem Problem
	if err := strictjson.DecodePresent(value, &problem); err != nil || problem.Code == "" || problem.Detail == "" {
		return a.unexpected("it has no error code")
	}
	if problem.RequestID == "" {
		problem.RequestID = a.header.Get("X-Request-Id")
	}
	return &APIError{
		Status: a.status, Code: problem.Code, Category: problem.Category, Retryable: problem.Retryable,
		RequestID: problem.RequestID, Detail: problem.Detail, Errors: problem.Errors, RetryAfter: retryAfterOf(a.header),
	}
}

// retryAfterOf reads seconds or an HTTP date. A date counts from the answer's own Date, because the local clock may be wrong.
func retryAfterOf(header http.Header) *time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return Ptr(time.Duration(seconds) * time.Second)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return nil
	}
	if delay := until.Sub(now); delay > 0 {
		return &delay
	}
	return Ptr(time.Duration(0))
}

// newID returns a random UUID (RFC 9562, version 4).
func newID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic("custos: the system has no random numbers: " + err.Error())
	}
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
