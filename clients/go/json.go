package custos

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/custos/custos-go/internal/strictjson"
)

// answerLimits: an answer wraps what a request said in more levels.
var answerLimits = strictjson.Limits{Depth: 128}

// Ptr returns a pointer to a value, for optional members.
func Ptr[T any](value T) *T { return &value }

// Nullable is a member that may be left out (a nil *Nullable), null or a value.
type Nullable[T any] struct {
	Value  T
	IsNull bool
}

// Set is a member with a value.
func Set[T any](value T) *Nullable[T] { return &Nullable[T]{Value: value} }

// Null is a member that is null, which deletes what the service holds.
func Null[T any]() *Nullable[T] { return &Nullable[T]{IsNull: true} }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if n.IsNull {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

func unmarshalAnswer(text []byte, target any) error {
	value, err := strictjson.Parse(text, answerLimits)
	if err != nil {
		return err
	}
	return strictjson.Decode(value, target)
}

// marshalVariant writes the only field of a union that is set.
func marshalVariant(union any) ([]byte, error) {
	value := reflect.ValueOf(union)
	for i := 0; i < value.NumField(); i++ {
		if field := value.Field(i); !field.IsNil() {
			return json.Marshal(field.Interface())
		}
	}
	return nil, errors.New("none of the variants is set")
}

// marshalOpen writes the fields of a struct and more members beside them.
func marshalOpen(fields any, more map[string]any) ([]byte, error) {
	text, err := json.Marshal(fields)
	if err != nil || len(more) == 0 {
		return text, err
	}
	known := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	all := map[string]any{}
	for name, value := range more {
		all[name] = value
	}
	for name, value := range known {
		all[name] = value
	}
	return json.Marshal(all)
}
