// Command etcd is a store for one test run: one member, loopback only, and nothing synced to the disk,
// because its data are worth nothing after the run.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	folder := flag.String("data-dir", "", "where the store lies")
	clients := flag.String("listen-client-urls", "http://127.0.0.1:2379", "where API servers connect")
	peers := flag.String("listen-peer-urls", "http://127.0.0.1:2380", "needed by etcd although nobody connects")
	flag.Parse()
	if err := serve(*folder, *clients, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func serve(folder, clients, peers string) error {
	if folder == "" {
		return fmt.Errorf("--data-dir is missing")
	}
	settings, err := configuration(folder, clients, peers)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	store, err := embed.StartEtcd(settings)
	if err != nil {
		return err
	}
	defer store.Close()
	select {
	case <-stop:
		return nil
	case err := <-store.Err():
		return err
	}
}

func configuration(folder, clients, peers string) (*embed.Config, error) {
	client, err := url.Parse(clients)
	if err != nil {
		return nil, err
	}
	peer, err := url.Parse(peers)
	if err != nil {
		return nil, err
	}
	settings := embed.NewConfig()
	settings.Dir = folder
	settings.LogLevel = "warn"
	settings.UnsafeNoFsync = true
	settings.ListenClientUrls, settings.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	settings.ListenPeerUrls, settings.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	settings.InitialCluster = settings.InitialClusterFromName(settings.Name)
	return settings, nil
}
