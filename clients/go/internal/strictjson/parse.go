// Package strictjson parses JSON without ambiguity (RFC 8259 with the limits of RFC 7493) and writes its canonical form (RFC 8785).
// encoding/json accepts duplicate members, replaces lone surrogates and matches names without regard to case; a hash or a signature
// must not depend on any of these.
package strictjson

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of a parser.
type Limits struct {
	// Depth is the largest number of nested objects and arrays.
	Depth int
	// LargeIntegers accepts integer literals beyond 2^53-1, which are rounded to a double as ECMAScript does.
	LargeIntegers bool
}

// Default are the limits of the service for requests and receipts.
var Default = Limits{Depth: 64}

// MaxSafeInteger is the largest integer that a double can tell from its neighbours.
const MaxSafeInteger = 1<<53 - 1

var numberPattern = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

type parser struct {
	text   []byte
	at     int
	depth  int
	limits Limits
}

// Parse returns map[string]any, []any, string, float64, bool or nil.
func Parse(text []byte, limits Limits) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	p := &parser{text: text, limits: limits}
	p.space()
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(text) {
		return nil, p.fail("unexpected text after the value")
	}
	return value, nil
}

func (p *parser) fail(reason string) error {
	return fmt.Errorf("%s at byte %d", reason, p.at)
}

// next returns the byte at the current position, and 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) value() (any, error) {
	switch p.next() {
	case '{':
		return p.nested(p.object)
	case '[':
		return p.nested(p.array)
	case '"':
		return p.string()
	case 't':
		return p.word("true", true)
	case 'f':
		return p.word("false", false)
	case 'n':
		return p.word("null", nil)
	}
	return p.number()
}

func (p *parser) nested(read func() (any, error)) (any, error) {
	if p.depth >= p.limits.Depth {
		return nil, p.fail(fmt.Sprintf("nested deeper than %d", p.limits.Depth))
	}
	p.depth++
	p.at++
	p.space()
	value, err := read()
	p.depth--
	return value, err
}

func (p *parser) word(word string, value any) (any, error) {
	end := p.at + len(word)
	if end > len(p.text) || string(p.text[p.at:end]) != word {
		return nil, p.fail("unexpected character")
	}
	p.at = end
	return value, nil
}

func (p *parser) number() (any, error) {
	match := numberPattern.FindSubmatch(p.text[p.at:])
	if match == nil {
		return nil, p.fail("unexpected character")
	}
	value, err := strconv.ParseFloat(string(match[0]), 64)
	if err != nil {
		return nil, p.fail("number out of range")
	}
	isInteger := match[1] == nil && match[2] == nil
	if isInteger && !p.limits.LargeIntegers && math.Abs(value) > MaxSafeInteger {
		return nil, p.fail("integer beyond 2^53-1")
	}
	p.at += len(match[0])
	return value, nil
}

func (p *parser) string() (string, error) {
	p.at++
	out := []byte{}
	for {
		if p.at >= len(p.text) {
			return "", p.fail("string without an end")
		}
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return string(out), nil
		case c < 0x20:
			return "", p.fail("control character in a string")
		case c == '\\':
			char, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, char)
		default:
			out = append(out, c)
			p.at++
		}
	}
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape() (rune, error) {
	p.at++
	letter := p.next()
	if letter != 'u' {
		char, isKnown := escapes[letter]
		if !isKnown {
			return 0, p.fail("bad escape")
		}
		p.at++
		return char, nil
	}
	p.at++
	first, err := p.hex()
	if err != nil {
		return 0, err
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	if p.at+1 >= len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, p.fail("lone surrogate")
	}
	p.at += 2
	second, err := p.hex()
	if err != nil {
		return 0, err
	}
	char := utf16.DecodeRune(first, second)
	if char == utf8.RuneError {
		return 0, p.fail("lone surrogate")
	}
	return char, nil
}

func (p *parser) hex() (rune, error) {
	if p.at+4 > len(p.text) {
		return 0, p.fail("bad \\u escape")
	}
	var char rune
	for _, c := range p.text[p.at : p.at+4] {
		digit, err := strconv.ParseUint(string(rune(c)), 16, 4)
		if err != nil {
			return 0, p.fail("bad \\u escape")
		}
		char = char<<4 | rune(digit)
	}
	p.at += 4
	return char, nil
}

func (p *parser) array() (any, error) {
	out := []any{}
	if p.next() == ']' {
		p.at++
		return out, nil
	}
	for {
		p.space()
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, value)
		isEnd, err := p.separator(']')
		if isEnd || err != nil {
			return out, err
		}
	}
}

func (p *parser) object() (any, error) {
	out := map[string]any{}
	if p.next() == '}' {
		p.at++
		return out, nil
	}
	for {
		p.space()
		if p.next() != '"' {
			return nil, p.fail("expected a member name")
		}
		name, err := p.string()
		if err != nil {
			return nil, err
		}
		if _, isKnown := out[name]; isKnown {
			return nil, p.fail(fmt.Sprintf("duplicate member %q", name))
		}
		p.space()
		if p.next() != ':' {
			return nil, p.fail(`expected ":"`)
		}
		p.at++
		p.space()
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		out[name] = value
		isEnd, err := p.separator('}')
		if isEnd || err != nil {
			return out, err
		}
	}
}

// separator reads "," (false) or the closing bracket (true).
func (p *parser) separator(closing byte) (bool, error) {
	p.space()
	c := p.next()
	if c != ',' && c != closing {
		return false, p.fail(`expected "," or the end`)
	}
	p.at++
	return c == closing, nil
}
