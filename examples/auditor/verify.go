// Verifies a receipt with the Go client. Usage, in clients/go: go run ../../examples/auditor/verify.go RECEIPT KEYS
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/custos/custos-go/verify"
)

func main() {
	receipt, keys := read(1), read(2)
	trusted, err := verify.ParseKeys(keys)
	if err != nil {
		log.Fatal(err)
	}
	_, err = verify.Receipt(receipt, trusted)
	var failure *verify.Error
	switch {
	case errors.As(err, &failure):
		fmt.Println(failure.Failure)
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println("VALID")
	}
}

func read(argument int) []byte {
	if len(os.Args) != 3 {
		log.Fatal("usage: verify RECEIPT KEYS")
	}
	text, err := os.ReadFile(os.Args[argument])
	if err != nil {
		log.Fatal(err)
	}
	return text
}
