// Command conformance runs the cases that all clients share. It reads one JSON object a line from standard input and prints one a line;
// it does not judge. clients/conformance/README.md describes both.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	custos "github.com/custos/custos-go"
	"github.com/custos/custos-go/internal/strictjson"
)

const maxLineBytes = 16 << 20

// line is one line of the input.
type line struct {
	ID   string            `json:"id"`
	Kind string            `json:"kind"`
	URL  string            `json:"url"`
	Key  string            `json:"key"`
	Env  map[string]string `json:"env"`
	Keys json.RawMessage   `json:"keys"`
	Case json.RawMessage   `json:"case"`
}

// printed is one line of the output.
type printed map[string]any

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, maxLineBytes)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		if err := output.Encode(answer(input.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := input.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(text []byte) printed {
	var one line
	var named struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(text, &one); err != nil {
		return printed{"crashed": err.Error()}
	}
	out, err := runCase(one)
	if err != nil {
		out = printed{"crashed": err.Error()}
	}
	if err := json.Unmarshal(one.Case, &named); err != nil {
		return printed{"id": one.ID, "crashed": err.Error()}
	}
	out["id"], out["name"] = one.ID, named.Name
	return out
}

func runCase(one line) (printed, error) {
	switch one.Kind {
	case "verify":
		return runVerification(one)
	case "canonical":
		return runCanonical(one)
	case "definition":
		return runDefinition(one)
	case "calls":
		return runCalls(one)
	}
	return nil, fmt.Errorf("unknown kind %q", one.Kind)
}

func runCanonical(one line) (printed, error) {
	var c struct {
		Input string `json:"input"`
	}
	if err := json.Unmarshal(one.Case, &c); err != nil {
		return nil, err
	}
	value, err := strictjson.Parse([]byte(c.Input), strictjson.Default)
	if err != nil {
		return printed{"canonical": nil}, nil
	}
	text, err := strictjson.Canonical(value)
	if err != nil {
		return printed{"canonical": nil}, nil
	}
	return printed{"canonical": string(text)}, nil
}

func runDefinition(one line) (printed, error) {
	var c struct {
		Input string `json:"input"`
	}
	if err := json.Unmarshal(one.Case, &c); err != nil {
		return nil, err
	}
	digest, err := custos.DefinitionDigest(json.RawMessage(c.Input))
	if err != nil {
		return printed{"digest": nil}, nil
	}
	return printed{"digest": digest}, nil
}
