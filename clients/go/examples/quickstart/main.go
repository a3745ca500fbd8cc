// Quickstart: an agent reads a file through a guard, is refused a deletion, and an auditor checks the record of it offline.
//
//	export CUSTOS_KEY=$(cat .custos/bootstrap-key)    # as "npm start" has written it
//	go run ./examples/quickstart
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	custos "github.com/custos/custos-go"
	"github.com/custos/custos-go/verify"
)

const agent = "quickstart-go"

// File is what the tools of this agent work on.
type File struct {
	Path string `json:"path"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := custos.New("", "") // CUSTOS_URL and CUSTOS_KEY
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	for _, step := range []func(context.Context, *custos.Client) error{register, ask, guard, prove} {
		if err := step(ctx, client); err != nil {
			log.Fatal(err)
		}
	}
}

func register(ctx context.Context, client *custos.Client) error {
	_, err := client.Agents.Create(ctx, custos.AgentCreate{AgentID: custos.Ptr(agent), Name: "The agent of the Go example"})
	var problem *custos.APIError
	if errors.As(err, &problem) && problem.IsConflict() {
		return nil // It was registered by an earlier run.
	}
	return err
}

func ask(ctx context.Context, client *custos.Client) error {
	intent, err := client.Intent.Parse(ctx, custos.IntentRequest{AgentID: agent, RawIntent: "Read user profile data"})
	if err != nil {
		return err
	}
	fmt.Println("read as:", intent.Normalized)
	decision, err := client.Enforce.Evaluate(ctx, custos.EnforceRequest{AgentID: agent, Intent: &intent.Normalized})
	if err != nil {
		return err
	}
	fmt.Println("decided:", decision.Verdict)
	return nil
}

func guard(ctx context.Context, client *custos.Client) error {
	// The catalogue pins the definition of this tool; a guard names the digest of the definition that it has seen.
	readFile := tool("read_text_file")
	var err error
	if readFile.DefinitionDigest, err = pinnedDefinition(ctx, client, readFile); err != nil {
		return err
	}
	read := custos.Guard(client, readFile, func(_ context.Context, file File, _ *custos.Decision) (string, error) {
		return "the content of " + file.Path, nil
	})
	remove := custos.Guard(client, tool("delete_file"), func(_ context.Context, file File, _ *custos.Decision) (string, error) {
		return "deleted " + file.Path, nil
	})
	content, err := read(ctx, File{"/srv/app/notes.txt"})
	if err != nil {
		return err
	}
	fmt.Println("read:", content)
	_, err = remove(ctx, File{"/srv/app/notes.txt"})
	var refused *custos.RefusedError
	if !errors.As(err, &refused) {
		return fmt.Errorf("the deletion was not refused: %w", err)
	}
	fmt.Println("refused:", refused.Verdict)
	return client.Flush(ctx)
}

func tool(name string) custos.GuardOptions {
	return custos.GuardOptions{AgentID: agent, Server: "filesystem", Name: name, Wait: -1}
}

func pinnedDefinition(ctx context.Context, client *custos.Client, tool custos.GuardOptions) (string, error) {
	catalogues := client.Tools.All(ctx, custos.ToolsQuery{})
	for catalogues.Next() {
		for _, known := range catalogues.Value().Tools {
			if catalogues.Value().Server == tool.Server && known.Name == tool.Name && known.Definition != nil {
				return *known.Definition, nil
			}
		}
	}
	return "", catalogues.Err()
}

func prove(ctx context.Context, client *custos.Client) error {
	payload := map[string]any{"version": "1.4.2"}
	accepted, err := client.Proof.Create(ctx, custos.ProofCreate{Event: "release.published", EntityID: agent, Payload: payload})
	if err != nil {
		return err
	}
	proof, err := client.Proof.WaitAnchored(ctx, accepted.ProofID, 30*time.Second)
	if err != nil {
		return err
	}
	receipt, err := proof.Text()
	if err != nil {
		return err
	}
	// An auditor keeps the keys from an earlier day, and needs no network from here on.
	keys, err := client.Log.TrustedKeys(ctx)
	if err != nil {
		return err
	}
	verified, err := verify.Receipt(receipt, keys)
	if err != nil {
		return err
	}
	fmt.Println("verified:", verified.Record.EventType)
	var forged *verify.Error
	if _, err := verify.Receipt(bytes.Replace(receipt, []byte(`"index":`), []byte(`"index":1`), 1), keys); !errors.As(err, &forged) {
		return errors.New("a forged receipt was accepted")
	}
	fmt.Println("forged:", forged.Failure)
	return nil
}
