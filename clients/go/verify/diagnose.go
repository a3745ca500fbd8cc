package verify

import (
	"math/bits"
	"strconv"

	"github.com/custos/custos-go/internal/strictjson"
)

// searchHashes limits the search for the cause of a failure to some 20 ms.
const searchHashes = 20_000

// diagnosis finds which of index, size, path and record is wrong in a proof that does not hold, as far as that can be determined. The
// length of the path shows a wrong size. For the rest, small changes are undone (another index, one hash removed, two swapped, one digit
// changed): the change that makes the equation hold is the alteration.
type diagnosis struct {
	proof  inclusion
	budget int
}

// isRecordSound: the record is canonical and agrees with receipt and log. Otherwise it is the altered part, and nothing is searched.
func diagnose(proof inclusion, isRecordSound bool) *Error {
	isInside := proof.index < proof.size
	expected := 0
	if isInside {
		expected = pathLength(proof.index, proof.size)
	}
	if isRecordSound {
		search := &diagnosis{proof, searchHashes}
		if at, isFound := search.findIndex(); isFound {
			return failed(WrongIndex, "The record is at index %d of the log, not at %d.", at, proof.index)
		}
		if isInside && search.findPathChange(expected) {
			return failed(WrongPath, "The path was changed.")
		}
	}
	if !isInside {
		return failed(WrongSize, "The checkpoint signs a tree of %d leaves, which has no index %d.", proof.size, proof.index)
	}
	if len(proof.path) != expected {
		if isLengthPossible(proof.index, len(proof.path)) {
			return failed(WrongSize, "The path has %d hashes; index %d of the signed tree of %d leaves needs %d.",
				len(proof.path), proof.index, proof.size, expected)
		}
		return failed(WrongPath, "The path of %d hashes fits a tree of no size for index %d.", len(proof.path), proof.index)
	}
	return failed(RecordAltered, "The record, or the whole path, is not what the log holds at index %d.", proof.index)
}

func (d *diagnosis) fits(proof inclusion) bool {
	d.budget -= len(proof.path)
	return d.budget >= 0 && proof.holds()
}

// findIndex tries all indexes of a small tree, else those that differ by one slip.
func (d *diagnosis) findIndex() (int64, bool) {
	length := len(d.proof.path)
	try := func(candidate int64) bool {
		if candidate == d.proof.index || candidate < 0 || candidate >= d.proof.size {
			return false
		}
		if pathLength(candidate, d.proof.size) != length {
			return false
		}
		proof := d.proof
		proof.index = candidate
		return d.fits(proof)
	}
	// Half of the budget; the rest is for the path.
	if d.proof.size*int64(length+1) <= searchHashes/2 {
		for candidate := int64(0); candidate < d.proof.size; candidate++ {
			if try(candidate) {
				return candidate, true
			}
		}
		return 0, false
	}
	for _, candidate := range slips(d.proof.index) {
		if try(candidate) {
			return candidate, true
		}
	}
	return 0, false
}

// slips are the neighbours of an index, and the numbers that differ in one bit or one decimal digit.
func slips(index int64) []int64 {
	out := []int64{index - 1, index + 1, index - 2, index + 2}
	for bit := 0; bit <= 52; bit++ {
		out = append(out, index^(1<<bit))
	}
	digits := []byte(strconv.FormatInt(index, 10))
	for i, before := range digits {
		for digit := byte('0'); digit <= '9'; digit++ {
			digits[i] = digit
			if number, err := strconv.ParseInt(string(digits), 10, 64); err == nil && number <= strictjson.MaxSafeInteger {
				out = append(out, number)
			}
		}
		digits[i] = before
	}
	return out
}

// findPathChange reports whether undoing one small change of the path makes the proof hold.
func (d *diagnosis) findPathChange(expected int) bool {
	path := d.proof.path
	if len(path) > expected {
		return d.findAdded(expected)
	}
	if len(path) < expected {
		return false
	}
	reversed := make([][]byte, len(path))
	for i, hash := range path {
		reversed[len(path)-1-i] = hash
	}
	if d.fitsWith(reversed) {
		return true
	}
	for i := 1; i < len(path); i++ {
		swapped := append([][]byte{}, path...)
		swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
		if d.fitsWith(swapped) {
			return true
		}
	}
	// Single bits first, for all hashes; then any other hex digit.
	return d.findDigitOnPath(bitMasks) || d.findDigitOnPath(digitMasks)
}

func (d *diagnosis) fitsWith(path [][]byte) bool {
	proof := d.proof
	proof.path = path
	return d.fits(proof)
}

// findAdded removes as many neighbouring hashes as there are too many.
func (d *diagnosis) findAdded(expected int) bool {
	path := d.proof.path
	extra := len(path) - expected
	for i := 0; i <= expected; i++ {
		if d.fitsWith(append(append([][]byte{}, path[:i]...), path[i+extra:]...)) {
			return true
		}
	}
	return false
}

func (d *diagnosis) findDigitOnPath(masks []byte) bool {
	rest := d.proof
	for i := 0; i < len(d.proof.path) && d.budget > 0; i++ {
		if d.findDigit(rest, masks) {
			return true
		}
		rest = higher(rest)
	}
	return false
}

// findDigit reports whether the proof holds with one digit of its path's first hash changed.
func (d *diagnosis) findDigit(proof inclusion, masks []byte) bool {
	if len(proof.path) == 0 {
		return false
	}
	changed := append([]byte{}, proof.path[0]...)
	proof.path = append([][]byte{changed}, proof.path[1:]...)
	for i, before := range changed {
		for _, mask := range masks {
			changed[i] = before ^ mask
			if d.fits(proof) {
				return true
			}
		}
		changed[i] = before
	}
	return false
}

// higher is the same proof one level higher: the first hash of its path is consumed.
func higher(proof inclusion) inclusion {
	sibling := proof.path[0]
	parent, isRight := level{proof.index, proof.size - 1}.climb()
	hash := hashChildren(proof.leafHash, sibling)
	if isRight {
		hash = hashChildren(sibling, proof.leafHash)
	}
	return inclusion{parent.node, parent.last + 1, hash, proof.path[1:], proof.root}
}

var bitMasks = []byte{1, 2, 4, 8, 16, 32, 64, 128}

// digitMasks change one hex digit by more than one bit.
var digitMasks = func() (masks []byte) {
	for digit := byte(1); digit < 16; digit++ {
		if bits.OnesCount8(digit) > 1 {
			masks = append(masks, digit, digit<<4)
		}
	}
	return masks
}()

// isLengthPossible tells whether some tree has a path of this length for this index. A path has one hash for each level below the highest
// bit in which index and size-1 differ, and one for each set bit of the index above it. That bit is 0 in the index, unless index and
// size-1 are equal.
func isLengthPossible(index int64, length int) bool {
	if bits.OnesCount64(uint64(index)) == length {
		return true
	}
	for height := 1; height <= 53; height++ {
		rest := uint64(index) >> (height - 1)
		if rest%2 == 0 && height+bits.OnesCount64(rest>>1) == length {
			return true
		}
	}
	return false
}
