//! Delivery of the web client. Works with and without a built client.

use crate::fixture::HttpFixture;

#[tokio::test]
async fn browsers_get_a_page_and_programs_get_json() {
    let fixture = HttpFixture::new().await;
    let client = fixture.anonymous();
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = client.send("GET", "/", &[("accept", accept)], None).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));

    let plain = client.send("GET", "/", &[("accept", "*/*")], None).await;
    assert_eq!(plain.header("content-type"), Some("application/json"));
    assert_eq!(plain.ok_json()["openapi"], "/openapi.json");
    fixture.stop().await;
}

#[tokio::test]
async fn files_outside_the_web_client_are_not_found() {
    let fixture = HttpFixture::new().await;
    let client = fixture.anonymous();
    for path in
        ["/page/nothing.js", "/page/../Cargo.toml", "/page/%2e%2e/%2e%2e/package.json", "/page/.gitignore"]
    {
        assert_eq!(client.get(path).await.problem_code(), "not_found", "{path}");
    }
    assert_eq!(client.send("POST", "/page/index.html", &[], None).await.problem_code(), "wrong_method");
    fixture.stop().await;
}
