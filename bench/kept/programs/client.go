// Callers with Go's default settings of net/http, each with its own connections: together they would keep only 100. Arguments: requests, pause from, pause to (ms), token, body of a POST, addresses.
// Prints: requests, failed GETs, failed POSTs, and the first failure.
package main

import (
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var lock sync.Mutex
var requests, failedGets, failedPosts int
var first string

func ask(client *http.Client, url string, isGet bool, token string, body string) error {
	method, path, content := "GET", "/api/client/features", io.Reader(nil)
	if !isGet {
		method, path, content = "POST", "/api/client/metrics", strings.NewReader(body)
	}
	request, _ := http.NewRequest(method, url+path, content)
	request.Header.Set("Authorization", token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

func note(isGet bool, err error) {
	lock.Lock()
	defer lock.Unlock()
	requests++
	if err == nil {
		return
	}
	if isGet {
		failedGets++
	} else {
		failedPosts++
	}
	if first == "" {
		first = err.Error()
	}
}

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	from, _ := strconv.Atoi(os.Args[2])
	to, _ := strconv.Atoi(os.Args[3])
	token, body, urls := os.Args[4], os.Args[5], os.Args[6:]
	var all sync.WaitGroup
	for index, url := range urls {
		all.Add(1)
		go func() {
			defer all.Done()
			transport := http.DefaultTransport.(*http.Transport).Clone()
			if idle, err := time.ParseDuration(os.Getenv("IDLE_TIMEOUT")); err == nil {
				transport.IdleConnTimeout = idle
			}
			client := &http.Client{Transport: transport}
			time.Sleep(time.Second * time.Duration(index) / time.Duration(len(urls)))
			for number := 0; number < count; number++ {
				if number > 0 {
					time.Sleep(time.Duration(from+rand.Intn(to-from+1)) * time.Millisecond)
				}
				isGet := (number+index)%2 == 0
				note(isGet, ask(client, url, isGet, token, body))
			}
		}()
	}
	all.Wait()
	fmt.Printf("%d %d %d %s\n", requests, failedGets, failedPosts, strings.ReplaceAll(first, "\n", " "))
}
