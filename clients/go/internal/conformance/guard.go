package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	custos "github.com/custos/custos-go"
)

type object = map[string]any

// guard makes a guarded function, calls it, and waits for its reports.
func (s *session) guard(ctx context.Context, arguments object) (printed, error) {
	options, err := guardOptions(arguments)
	if err != nil {
		return nil, err
	}
	judged, _ := arguments["arguments"].(map[string]any)
	ran := 0
	function := func(_ context.Context, got object, _ *custos.Decision) (object, error) {
		ran++
		if arguments["function"] == "throw" {
			return nil, errFunction
		}
		return object{"ran": true, "arguments": got}, nil
	}
	if arguments["function"] == "mutate" {
		s.onRequest = func() { judged["changedByCaller"] = true }
		defer func() { s.onRequest = nil }()
	}
	handlers, err := handlersOf(arguments["obligations"])
	if err != nil {
		return nil, err
	}
	guarded := custos.Guard(s.client, options, function, handlers...)
	times := 1
	if given, isGiven := arguments["calls"].(float64); isGiven {
		times = int(given)
	}
	var out printed
	for i := 0; i < times; i++ {
		approvalID, _ := arguments["approvalId"].(string)
		if i > 0 {
			approvalID = ""
		}
		result, err := guarded(custos.WithApproval(ctx, approvalID), judged)
		if out, err = entry(result, err); err != nil {
			return nil, err
		}
	}
	flushing, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.client.Flush(flushing); err != nil {
		return nil, err
	}
	out["ran"] = ran
	return out, nil
}

func guardOptions(arguments object) (custos.GuardOptions, error) {
	var options custos.GuardOptions
	options.AgentID, _ = arguments["agentId"].(string)
	options.Server, _ = arguments["server"].(string)
	options.Name, _ = arguments["name"].(string)
	options.DefinitionDigest, _ = arguments["definitionDigest"].(string)
	options.Context, _ = arguments["context"].(map[string]any)
	options.ReportSignals, _ = arguments["reportSignals"].(bool)
	if seconds, isGiven := arguments["waitSeconds"].(float64); isGiven {
		options.Wait = time.Duration(seconds * float64(time.Second))
		if seconds == 0 {
			options.Wait = -1
		}
	}
	if given, isGiven := arguments["annotations"].(map[string]any); isGiven {
		annotations, err := into[custos.ToolCallAnnotations](given)
		if err != nil {
			return options, err
		}
		options.Annotations = &annotations
	}
	return options, nil
}

func handlersOf(value any) ([]custos.ObligationHandler[object, object], error) {
	named, _ := value.(map[string]any)
	var handlers []custos.ObligationHandler[object, object]
	for obligationType, behaviour := range named {
		switch behaviour {
		case "keep", "throw", "change", "result", "fail":
		default:
			return nil, fmt.Errorf("unknown handler %v", behaviour)
		}
		handlers = append(handlers, handler(obligationType, fmt.Sprint(behaviour)))
	}
	return handlers, nil
}

func handler(obligationType, behaviour string) custos.ObligationHandler[object, object] {
	return custos.Keep(obligationType, func(_ context.Context, _ custos.Obligation, arguments object) (custos.Terms[object, object], error) {
		var terms custos.Terms[object, object]
		switch behaviour {
		case "throw":
			return terms, errors.New("the obligation can not be kept")
		case "change":
			changed := object{"changedBy": obligationType}
			for name, value := range arguments {
				if name != "changedBy" {
					changed[name] = value
				}
			}
			terms.Arguments = &changed
		case "fail":
			terms.Result = func(result object) (object, error) { return nil, fmt.Errorf("%v", result) }
		case "result":
			terms.Result = func(result object) (object, error) {
				result["keptBy"] = obligationType
				return result, nil
			}
		}
		return terms, nil
	})
}
