// Package custos is the client of Custos, a governance service for software agents: an agent asks before it acts, and every answer can be
// proven. It needs nothing but the standard library. The package verify checks receipts without a network.
package custos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	defaultURL     = "http://127.0.0.1:3000"
	defaultTimeout = 10 * time.Second
	defaultRetries = 3
	maxRetries     = 3
	// The service closes idle connections after 5 s or later. Closing them earlier avoids a request on a connection that is just closing.
	idleTimeout        = 4 * time.Second
	maxIdleConnections = 32
	dialTimeout        = 10 * time.Second
)

// Client calls one service with one key. It is safe for concurrent use; make one and keep it.
type Client struct {
	// Intent parses texts.
	Intent IntentService
	// Intents are submitted and decided later.
	Intents   IntentsService
	Enforce   EnforceService
	Decisions DecisionsService
	Approvals ApprovalsService
	Proofs    ProofsService
	// Proof is the same as Proofs.
	Proof     ProofsService
	Agents    AgentsService
	Resources ResourcesService
	Trust     TrustService
	Log       LogService
	Keys      KeysService
	Policies  PoliciesService
	Tools     ToolsService
	Webhooks  WebhooksService
	Halt      HaltService
	Reference ReferenceService

	transport *transport
	reports   *pending
}

// Option changes how a client works.
type Option func(*transport)

// WithTimeout limits each call with all its retries; without it, 10 s. Waits have their own limit.
func WithTimeout(limit time.Duration) Option {
	return func(t *transport) { t.timeout = limit }
}

// WithRetries sets how often a failed request is repeated: 0 to 3, without it 3.
func WithRetries(retries int) Option {
	return func(t *transport) { t.retries = retries }
}

// WithHTTPClient sends the requests with another client. Its redirect policy is not used: redirects are never followed.
func WithHTTPClient(client *http.Client) Option {
	return func(t *transport) {
		copied := *client
		t.http = &copied
	}
}

// New makes a client. An empty address is CUSTOS_URL or http://127.0.0.1:3000; an empty key is CUSTOS_KEY. Without any key only health,
// readiness, the public keys of the log and the reference lists can be asked for.
func New(address, key string, options ...Option) (*Client, error) {
	address = firstOf(address, os.Getenv("CUSTOS_URL"), defaultURL)
	// A key from a file often has a newline at its end.
	key = strings.TrimSpace(firstOf(key, os.Getenv("CUSTOS_KEY")))
	base, err := url.Parse(address)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, errors.New("custos: the address of the service is no URL such as http://127.0.0.1:3000 or https://...")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("custos: the address of the service may not have a user, a query or a fragment")
	}
	if strings.IndexFunc(key, func(char rune) bool { return char <= ' ' || char > '~' }) != -1 {
		return nil, errors.New("custos: the key has characters that a key can not have")
	}
	base.Path, base.RawPath = withoutVersion(base.Path), withoutVersion(base.RawPath)
	t := &transport{
		base:      base.String(),
		authorize: authorizeWith(key),
		timeout:   defaultTimeout,
		retries:   defaultRetries,
		http:      &http.Client{Transport: keepAliveTransport()},
		now:       time.Now,
	}
	for _, option := range options {
		option(t)
	}
	if t.retries < 0 || t.retries > maxRetries || t.timeout <= 0 {
		return nil, fmt.Errorf("custos: retries are 0 to %d, and the timeout is longer than 0", maxRetries)
	}
	// A redirect could lead the key to another host.
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return newClient(t), nil
}

func newClient(t *transport) *Client {
	c := &Client{transport: t, reports: &pending{}}
	s := service{t}
	c.Intent, c.Intents, c.Enforce, c.Decisions = IntentService{s}, IntentsService{s}, EnforceService{s}, DecisionsService{s}
	c.Approvals, c.Proofs, c.Proof, c.Agents = ApprovalsService{s}, ProofsService{s}, ProofsService{s}, AgentsService{s}
	c.Trust, c.Log, c.Keys, c.Policies = TrustService{s}, LogService{s}, KeysService{s}, PoliciesService{s}
	c.Tools, c.Halt, c.Reference = ToolsService{s}, HaltService{s}, ReferenceService{s}
	c.Resources, c.Webhooks = ResourcesService{s}, WebhooksService{s}
	return c
}

// service is the part that all resources share.
type service struct{ transport *transport }

// authorizeWith keeps the key in a closure, so that printing a client can not show it.
func authorizeWith(key string) func(http.Header) {
	return func(header http.Header) {
		if key != "" {
			header.Set("X-Api-Key", key)
		}
	}
}

func keepAliveTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   maxIdleConnections,
		IdleConnTimeout:       idleTimeout,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: time.Second,
	}
}

// withoutVersion leaves out slashes and /v1 at the end of an address: every path of an operation begins with it.
func withoutVersion(path string) string {
	return strings.TrimSuffix(strings.TrimRight(path, "/"), "/v1")
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// Health asks whether the process is alive.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return get[Health](ctx, c.transport, request{operation: "GET /health"})
}

// Ready asks whether the service is ready for requests. A service that is not ready is an APIError or UnexpectedAnswerError with status
// 503.
func (c *Client) Ready(ctx context.Context) (*Readiness, error) {
	return get[Readiness](ctx, c.transport, request{operation: "GET /ready"})
}

// Flush waits until the reports of guarded calls are sent, or the context ends.
func (c *Client) Flush(ctx context.Context) error {
	select {
	case <-c.reports.done():
		return nil
	case <-ctx.Done():
		return contextError(ctx, "the reports were not sent in time")
	}
}

// Close waits for reports as Flush does, and closes idle connections.
func (c *Client) Close(ctx context.Context) error {
	err := c.Flush(ctx)
	c.transport.http.CloseIdleConnections()
	return err
}
