//! Spans arrive at a collector, which is a plain HTTP server here.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use intermezzo_telemetry::TraceExport;
use tracing_subscriber::prelude::*;

/// Accepts one request and returns its head and body.
fn receive(listener: &TcpListener) -> (String, Vec<u8>) {
    let (mut stream, _) = listener.accept().expect("the exporter connects");
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).expect("the exporter sends");
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .and_then(|length| length.trim().parse().ok())
            .expect("the request has a length");
        if bytes.len() >= end + 4 + length {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").expect("the exporter reads");
            return (head, bytes.split_off(end + 4));
        }
    }
}

#[test]
fn spans_arrive_at_the_collector() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("it has an address"));
    let (sender, received) = mpsc::channel();
    std::thread::spawn(move || sender.send(receive(&listener)));
    let export = TraceExport::start(&url).expect("the URL is valid");
    let subscriber = tracing_subscriber::registry().with(export.layer());
    tracing::subscriber::with_default(subscriber, || {
        tracing::info_span!(target: "intermezzo_server", "request", id = "42").in_scope(|| {
            tracing::debug_span!(target: "intermezzo_server", "commit").in_scope(|| {});
            tracing::debug_span!(target: "hyper", "poll").in_scope(|| {});
        });
    });
    drop(export);
    let (head, body) = received.recv_timeout(Duration::from_secs(10)).expect("the spans arrive");
    assert!(head.starts_with("post /v1/traces "), "{head}");
    let text = String::from_utf8_lossy(&body);
    for word in ["intermezzo", "request", "42", "commit"] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
    assert!(!text.contains("poll"), "spans of dependencies stay out: {text}");
}

#[test]
fn an_invalid_collector_is_named() {
    let error = TraceExport::start("not a url").expect_err("that is no URL");
    assert!(error.to_string().starts_with("cannot send traces to not a url/v1/traces: "), "{error}");
}
