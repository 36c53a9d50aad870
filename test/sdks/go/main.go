// Calls unleash-client-go, unmodified: one context per input line, one output line of answers.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/Unleash/unleash-client-go/v4"
	"github.com/Unleash/unleash-client-go/v4/context"
)

type asked struct {
	Names   []string `json:"names"`
	Context struct {
		UserId        string            `json:"userId"`
		SessionId     string            `json:"sessionId"`
		RemoteAddress string            `json:"remoteAddress"`
		AppName       string            `json:"appName"`
		Environment   string            `json:"environment"`
		CurrentTime   string            `json:"currentTime"`
		Properties    map[string]string `json:"properties"`
	} `json:"context"`
}

type quiet struct{}

func (quiet) OnError(error)                   {}
func (quiet) OnWarning(error)                 {}
func (quiet) OnReady()                        {}
func (quiet) OnCount(string, bool)            {}
func (quiet) OnSent(unleash.MetricsData)      {}
func (quiet) OnRegistered(unleash.ClientData) {}

func main() {
	client, err := unleash.NewClient(
		unleash.WithUrl(os.Args[1]),
		unleash.WithCustomHeaders(http.Header{"Authorization": {os.Args[2]}}),
		unleash.WithAppName(os.Args[4]),
		unleash.WithBackupPath(os.Args[3]),
		unleash.WithRefreshInterval(time.Second),
		unleash.WithMetricsInterval(time.Second),
		unleash.WithListener(quiet{}),
	)
	if err != nil {
		panic(err)
	}
	client.WaitForReady()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line asked
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			panic(err)
		}
		from := line.Context
		ctx := context.Context{
			UserId: from.UserId, SessionId: from.SessionId, RemoteAddress: from.RemoteAddress, AppName: from.AppName,
			Environment: from.Environment, CurrentTime: from.CurrentTime, Properties: from.Properties,
		}
		answers := map[string]*string{}
		for _, name := range line.Names {
			if !client.IsEnabled(name, unleash.WithContext(ctx)) {
				continue
			}
			answers[name] = nil
			if variant := client.GetVariant(name, unleash.WithVariantContext(ctx)); variant.Enabled {
				answers[name] = &variant.Name
			}
		}
		text, _ := json.Marshal(answers)
		fmt.Println(string(text))
	}
}
