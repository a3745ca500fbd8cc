package custos

import (
	"encoding/json"
	"errors"

	"github.com/custos/custos-go/internal/strictjson"
)

// definitionMembers are all that a model reads of a tool before a call.
var definitionMembers = []string{"name", "description", "inputSchema", "annotations"}

// DefinitionDigest is the digest of a tool as an MCP server lists it, which a catalogue pins in "definition". The tool is a map, a
// json.RawMessage or a struct with the tags of its JSON, such as that of an MCP library. The digest covers name, description, inputSchema and
// annotations; absent members are left out, and null is a value. What has no "name" is an error: a struct without tags would have the digest of
// every other one.
func DefinitionDigest(tool any) (string, error) {
	text, err := json.Marshal(tool)
	if err != nil {
		return "", err
	}
	value, err := strictjson.Parse(text, answerLimits)
	if err != nil {
		return "", err
	}
	members, _ := value.(map[string]any)
	if _, isNamed := members["name"].(string); !isNamed {
		return "", errors.New("custos: the definition of a tool is a JSON object with a name")
	}
	covered := map[string]any{}
	for _, name := range definitionMembers {
		if member, isPresent := members[name]; isPresent {
			covered[name] = member
		}
	}
	canonical, err := strictjson.Canonical(covered)
	if err != nil {
		return "", err
	}
	return digestOfText(canonical), nil
}
