package verify

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/custos/custos-go/internal/strictjson"
)

// Every value has exactly one accepted encoding, so that a changed character is always a changed value.

var (
	hashPattern    = regexp.MustCompile(`^[0-9a-f]{64}$`)
	decimalPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)
	timePattern    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`)
)

const timeLayout = "2006-01-02T15:04:05.000Z"

// strictBase64 decodes padded standard base64. Go's decoder ignores line ends and, unless strict, unused bits; encoding again reveals
// both.
func strictBase64(text string) ([]byte, bool) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(bytes) != text {
		return nil, false
	}
	return bytes, true
}

// strictHash decodes 64 lower-case hex digits.
func strictHash(value any) ([]byte, bool) {
	text, isText := value.(string)
	if !isText || !hashPattern.MatchString(text) {
		return nil, false
	}
	bytes, err := hex.DecodeString(text)
	return bytes, err == nil
}

// strictDecimal reads a whole number below 2^53 without leading zeros.
func strictDecimal(text string) (int64, bool) {
	if !decimalPattern.MatchString(text) {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil && number <= strictjson.MaxSafeInteger
}

// isTime tells whether a value is a time that exists, as YYYY-MM-DDTHH:mm:ss.sssZ.
func isTime(value any) bool {
	text, isText := value.(string)
	if !isText || !timePattern.MatchString(text) {
		return false
	}
	_, err := time.Parse(timeLayout, text)
	return err == nil
}

// countOf reads a whole number from 0 to 2^53-1. Minus zero is none.
func countOf(value any) (int64, bool) {
	number, isNumber := value.(float64)
	if !isNumber || number != math.Trunc(number) || number < 0 || number > strictjson.MaxSafeInteger || math.Signbit(number) {
		return 0, false
	}
	return int64(number), true
}

// utf16Length is the length that limits of texts count.
func utf16Length(text string) int {
	return len(utf16.Encode([]rune(text)))
}

// exactMembers checks for a JSON object with exactly these members.
func exactMembers(value any, what string, names ...string) (map[string]any, error) {
	object, isObject := value.(map[string]any)
	if !isObject {
		return nil, malformed("%s is not a JSON object.", what)
	}
	for _, name := range names {
		if _, isPresent := object[name]; !isPresent {
			return nil, malformed("%s has no member %q.", what, name)
		}
	}
	if len(object) != len(names) {
		return nil, malformed("%s has a member that it may not have.", what)
	}
	return object, nil
}

// parseBounded parses strict JSON of a limited size.
func parseBounded(text []byte, what string) (any, error) {
	if len(text) > maxReceiptBytes {
		return nil, malformed("%s is larger than %d bytes.", what, maxReceiptBytes)
	}
	value, err := strictjson.Parse(text, strictjson.Default)
	if err != nil {
		return nil, malformed("%s is not valid JSON: %s.", what, err)
	}
	return value, nil
}
