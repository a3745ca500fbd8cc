package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

var placeholder = regexp.MustCompile(`\$\{([^}]+)\}`)

// fillIn replaces ${steps.0.result.name} and ${env.NAME} in all texts of a value, and copies the rest.
func (s *session) fillIn(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			filled, err := s.fillIn(member)
			if err != nil {
				return nil, err
			}
			out[name] = filled
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			var err error
			if out[i], err = s.fillIn(element); err != nil {
				return nil, err
			}
		}
		return out, nil
	case string:
		return s.fillInText(v)
	}
	return value, nil
}

func (s *session) fillInText(text string) (any, error) {
	if match := placeholder.FindStringSubmatch(text); match != nil && match[0] == text {
		return s.lookUp(match[1])
	}
	var failure error
	out := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value, err := s.lookUp(found[2 : len(found)-1])
		if err != nil {
			failure = err
		}
		return fmt.Sprint(value)
	})
	return out, failure
}

func (s *session) lookUp(path string) (any, error) {
	parts := strings.Split(path, ".")
	if parts[0] == "env" && len(parts) == 2 {
		if value, isSet := s.env[parts[1]]; isSet {
			return value, nil
		}
	}
	if parts[0] == "steps" && len(parts) >= 3 && parts[2] == "result" {
		at, err := strconv.Atoi(parts[1])
		if err == nil && at < len(s.results) {
			return memberAt(s.results[at], parts[3:], path)
		}
	}
	return nil, fmt.Errorf("nothing to insert for %s", path)
}

func memberAt(value any, path []string, whole string) (any, error) {
	for _, part := range path {
		var found any
		isFound := false
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				if fold(name) == fold(part) {
					found, isFound = member, true
				}
			}
		case []any:
			if at, err := strconv.Atoi(part); err == nil && at < len(v) {
				found, isFound = v[at], true
			}
		}
		if !isFound {
			return nil, fmt.Errorf("nothing to insert for %s", whole)
		}
		value = found
	}
	return value, nil
}

// fold makes agent_id, agentId and AgentID equal.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// into makes a struct of the client from arguments in camelCase. Values of free form keep their spelling.
func into[T any](arguments map[string]any, except ...string) (T, error) {
	var out T
	rest := map[string]any{}
	for name, value := range arguments {
		rest[name] = value
	}
	for _, name := range except {
		delete(rest, name)
	}
	return out, fill(reflect.ValueOf(&out).Elem(), rest)
}

func fill(target reflect.Value, value any) error {
	switch {
	case target.Kind() == reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return fill(target.Elem(), value)
	case strings.HasPrefix(target.Type().Name(), "Nullable["):
		if value == nil {
			target.FieldByName("IsNull").SetBool(true)
			return nil
		}
		return fill(target.FieldByName("Value"), value)
	}
	switch v := value.(type) {
	case map[string]any:
		if target.Kind() == reflect.Struct {
			return fillStruct(target, v)
		}
	case []any:
		if target.Kind() == reflect.Slice {
			out := reflect.MakeSlice(target.Type(), len(v), len(v))
			for i, element := range v {
				if err := fill(out.Index(i), element); err != nil {
					return err
				}
			}
			target.Set(out)
			return nil
		}
	}
	given := reflect.ValueOf(value)
	if !given.IsValid() || !given.CanConvert(target.Type()) || (given.Kind() == reflect.String) != (target.Kind() == reflect.String) {
		return fmt.Errorf("the client has no way to send %v as %s", value, target.Type())
	}
	target.Set(given.Convert(target.Type()))
	return nil
}

func fillStruct(target reflect.Value, members map[string]any) error {
	for name, member := range members {
		field := fieldOf(target, name)
		if field.IsValid() {
			if err := fill(field, member); err != nil {
				return err
			}
			continue
		}
		more := target.FieldByName("More")
		if !more.IsValid() || more.Kind() != reflect.Map {
			return fmt.Errorf("%s has no member %s", target.Type(), name)
		}
		if more.IsNil() {
			more.Set(reflect.MakeMap(more.Type()))
		}
		more.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(member))
	}
	return nil
}

func fieldOf(target reflect.Value, name string) reflect.Value {
	for i := 0; i < target.NumField(); i++ {
		tag := target.Type().Field(i).Tag
		spelled, _, _ := strings.Cut(tag.Get("json")+tag.Get("query"), ",")
		if fold(spelled) == fold(name) {
			return target.Field(i)
		}
	}
	return reflect.Value{}
}
