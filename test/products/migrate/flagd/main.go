// Evaluates the flags of a flagd file with flagd's own code, for contexts from standard input: {"file": …, "contexts": […]}. Prints, for each flag, the
// variants of the contexts. An error of the evaluation is printed as "error: …".
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/open-feature/flagd/core/pkg/evaluator"
	"github.com/open-feature/flagd/core/pkg/logger"
	"github.com/open-feature/flagd/core/pkg/store"
	"github.com/open-feature/flagd/core/pkg/sync"
	"go.uber.org/zap"
)

type question struct {
	File     json.RawMessage  `json:"file"`
	Contexts []map[string]any `json:"contexts"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	silent := logger.NewLogger(zap.NewNop(), false)
	flags, err := store.NewStore(silent, []string{"file"})
	if err != nil {
		panic(err)
	}
	flagd := evaluator.NewJSON(silent, flags)
	if err := flagd.SetState(sync.DataSync{FlagData: string(asked.File), Source: "file"}); err != nil {
		panic(err)
	}
	var named struct {
		Flags map[string]json.RawMessage `json:"flags"`
	}
	if err := json.Unmarshal(asked.File, &named); err != nil {
		panic(err)
	}
	answers := map[string][]string{}
	for name := range named.Flags {
		for _, each := range asked.Contexts {
			answer := flagd.ResolveAsAnyValue(context.Background(), "", name, each)
			variant := answer.Variant
			if answer.Error != nil {
				variant = "error: " + answer.Error.Error()
			}
			answers[name] = append(answers[name], variant)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
