package strictjson

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode assigns a parsed value to what target points to. It is stricter than encoding/json: names match exactly, and a member without
// "omitempty" must be present. A later version of the service may send more: unknown members are ignored, or collected in a field More, and a
// member that is null leaves its field zero. A struct whose fields have the tag `variant:"member"` takes the one whose member is present.
func Decode(value any, target any) error {
	pointer := reflect.ValueOf(target)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return errors.New("the target is not a pointer")
	}
	return decoder{}.assign(value, pointer.Elem(), "")
}

// DecodePresent is Decode for values whose important members the caller checks: missing members stay zero.
func DecodePresent(value any, target any) error {
	return decoder{isPartial: true}.assign(value, reflect.ValueOf(target).Elem(), "")
}

type decoder struct{ isPartial bool }

func (d decoder) assign(value any, target reflect.Value, at string) error {
	switch target.Kind() {
	case reflect.Interface:
		if value != nil {
			target.Set(reflect.ValueOf(value))
		}
		return nil
	case reflect.Pointer:
		if value == nil {
			return nil
		}
		target.Set(reflect.New(target.Type().Elem()))
		return d.assign(value, target.Elem(), at)
	case reflect.Slice:
		return d.assignList(value, target, at)
	case reflect.Map:
		return d.assignMap(value, target, at)
	case reflect.Struct:
		return d.assignStruct(value, target, at)
	}
	return assignScalar(value, target, at)
}

func assignScalar(value any, target reflect.Value, at string) error {
	switch v := value.(type) {
	case string:
		if target.Kind() == reflect.String {
			target.SetString(v)
			return nil
		}
	case bool:
		if target.Kind() == reflect.Bool {
			target.SetBool(v)
			return nil
		}
	case float64:
		if target.Kind() == reflect.Float64 {
			target.SetFloat(v)
			return nil
		}
		if target.Kind() == reflect.Int64 && v == float64(int64(v)) {
			target.SetInt(int64(v))
			return nil
		}
	}
	return wrong(at, target)
}

func (d decoder) assignList(value any, target reflect.Value, at string) error {
	if value == nil {
		return nil
	}
	list, isList := value.([]any)
	if !isList {
		return wrong(at, target)
	}
	out := reflect.MakeSlice(target.Type(), len(list), len(list))
	for i, element := range list {
		if err := d.assign(element, out.Index(i), fmt.Sprintf("%s/%d", at, i)); err != nil {
			return err
		}
	}
	target.Set(out)
	return nil
}

func (d decoder) assignMap(value any, target reflect.Value, at string) error {
	if value == nil {
		return nil
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		return wrong(at, target)
	}
	out := reflect.MakeMapWithSize(target.Type(), len(object))
	for name, member := range object {
		element := reflect.New(target.Type().Elem()).Elem()
		if err := d.assign(member, element, at+"/"+name); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(name), element)
	}
	target.Set(out)
	return nil
}

func (d decoder) assignStruct(value any, target reflect.Value, at string) error {
	object, isObject := value.(map[string]any)
	if !isObject {
		return wrong(at, target)
	}
	kind := target.Type()
	if kind.NumField() > 0 && kind.Field(0).Tag.Get("variant") != "" {
		return d.assignVariant(object, target, at)
	}
	known := map[string]bool{}
	for i := 0; i < kind.NumField(); i++ {
		name, options, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		known[name] = true
		member, isPresent := object[name]
		if !isPresent && options != "omitempty" && !d.isPartial {
			return fmt.Errorf("the member %s/%s is missing", at, name)
		}
		if member == nil {
			continue
		}
		if err := d.assign(member, target.Field(i), at+"/"+name); err != nil {
			return err
		}
	}
	if more, isOpen := kind.FieldByName("More"); isOpen && more.Tag.Get("json") == "-" {
		target.FieldByIndex(more.Index).Set(reflect.ValueOf(unknownMembers(object, known)))
	}
	return nil
}

func (d decoder) assignVariant(object map[string]any, target reflect.Value, at string) error {
	for i := 0; i < target.NumField(); i++ {
		if _, isPresent := object[target.Type().Field(i).Tag.Get("variant")]; isPresent {
			return d.assign(object, target.Field(i), at)
		}
	}
	return wrong(at, target)
}

func unknownMembers(object map[string]any, known map[string]bool) map[string]any {
	var more map[string]any
	for name, member := range object {
		if known[name] {
			continue
		}
		if more == nil {
			more = map[string]any{}
		}
		more[name] = member
	}
	return more
}

func wrong(at string, target reflect.Value) error {
	if at == "" {
		at = "the answer"
	}
	return fmt.Errorf("%s is not a value of the kind %s", at, target.Type())
}
