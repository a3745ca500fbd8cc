package verify

import (
	"bytes"
	"crypto/sha256"
)

const hashBytes = sha256.Size

// inclusion is the equation of an inclusion proof (RFC 9162 section 2.1.3.2): record, index and path lead to the root of a tree of `size`
// leaves.
type inclusion struct {
	index, size int64
	leafHash    []byte
	path        [][]byte
	root        []byte
}

func hashLeaf(record []byte) []byte {
	hash := sha256.Sum256(append([]byte{0}, record...))
	return hash[:]
}

func hashChildren(left, right []byte) []byte {
	var input [1 + 2*hashBytes]byte
	input[0] = 1
	copy(input[1:], left)
	copy(input[1+hashBytes:], right)
	hash := sha256.Sum256(input[:])
	return hash[:]
}

// level is a node's position on the way from a leaf to the root: its number, and the number of the last node at the same height.
type level struct{ node, last int64 }

// climb moves to the parent. isRight tells whether the sibling is on the left; a node without a sibling is promoted.
func (l level) climb() (parent level, isRight bool) {
	isRight = l.node%2 == 1 || l.node == l.last
	if isRight {
		for l.node%2 == 0 && l.node != 0 {
			l.node, l.last = l.node/2, l.last/2
		}
	}
	return level{l.node / 2, l.last / 2}, isRight
}

func (p inclusion) holds() bool {
	root, fits := rootOfPath(p.index, p.size, p.leafHash, p.path)
	return fits && bytes.Equal(root, p.root)
}

// rootOfPath returns the root to which a path leads; false when index, size and length of the path do not fit.
func rootOfPath(index, size int64, leafHash []byte, path [][]byte) ([]byte, bool) {
	if index < 0 || index >= size {
		return nil, false
	}
	at, hash := level{index, size - 1}, leafHash
	for _, sibling := range path {
		if at.last == 0 {
			return nil, false
		}
		parent, isRight := at.climb()
		if isRight {
			hash = hashChildren(sibling, hash)
		} else {
			hash = hashChildren(hash, sibling)
		}
		at = parent
	}
	return hash, at.last == 0
}

// pathLength is the number of hashes of a leaf's inclusion path. 0 <= index < size.
func pathLength(index, size int64) int {
	length := 0
	for at := (level{index, size - 1}); at.last > 0; length++ {
		at, _ = at.climb()
	}
	return length
}
