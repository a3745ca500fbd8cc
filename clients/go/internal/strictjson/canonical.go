package strictjson

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical writes a parsed value in the form of RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript writes them, no
// white space.
func Canonical(value any) ([]byte, error) {
	return appendValue(nil, value)
}

func appendValue(out []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case float64:
		return appendNumber(out, v)
	case string:
		return appendString(out, v)
	case []any:
		return appendArray(out, v)
	case map[string]any:
		return appendObject(out, v)
	}
	return nil, fmt.Errorf("%T is not a parsed JSON value", value)
}

func appendArray(out []byte, values []any) ([]byte, error) {
	out = append(out, '[')
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendValue(out, value); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendObject(out []byte, members map[string]any) ([]byte, error) {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool { return lessUTF16(names[i], names[j]) })
	out = append(out, '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendString(out, name); err != nil {
			return nil, err
		}
		out = append(out, ':')
		if out, err = appendValue(out, members[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// lessUTF16 orders as RFC 8785 section 3.2.3 requires: a character beyond U+FFFF comes before U+E000, unlike in UTF-8.
func lessUTF16(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := 0; i < len(left) && i < len(right); i++ {
		if left[i] != right[i] {
			return left[i] < right[i]
		}
	}
	return len(left) < len(right)
}

const hexDigits = "0123456789abcdef"

// appendString writes a literal as RFC 8785 section 3.2.2.2 says: only the necessary escapes, in lower-case hex.
func appendString(out []byte, text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("a string is not UTF-8")
	}
	out = append(out, '"')
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= 0x20:
			out = append(out, c)
		case strings.IndexByte("\b\t\n\f\r", c) >= 0:
			out = append(out, '\\', "btn_fr"[c-'\b'])
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(out, '"'), nil
}

// appendNumber writes a number as ECMAScript's Number::toString does (ECMA-262 section 6.1.6.1.20): the shortest digits that denote the
// double, with an exponent from 1e21 on and below 1e-6.
func appendNumber(out []byte, number float64) ([]byte, error) {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil, errors.New("a number is not finite")
	}
	if number == 0 {
		return append(out, '0'), nil
	}
	if size := math.Abs(number); size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(out, number, 'f', -1, 64), nil
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	// Go writes at least two digits of the exponent.
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits := strings.TrimLeft(exponent[1:], "0")
	return append(out, mantissa+"e"+exponent[:1]+digits...), nil
}
