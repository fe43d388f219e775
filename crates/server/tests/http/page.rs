//! The page, whether it was built or not.

use crate::world::World;

#[tokio::test]
async fn browsers_get_a_page_and_programs_get_json() {
    let world = World::new().await;
    let door = world.stranger();
    let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = door.send("GET", "/", &[("accept", accept)], None).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));

    let plain = door.send("GET", "/", &[("accept", "*/*")], None).await;
    assert_eq!(plain.header("content-type"), Some("application/json"));
    assert_eq!(plain.good()["openapi"], "/openapi.json");
    world.stop().await;
}

#[tokio::test]
async fn files_that_are_not_of_the_page_are_not_found() {
    let world = World::new().await;
    let door = world.stranger();
    for path in
        ["/page/nothing.js", "/page/../Cargo.toml", "/page/%2e%2e/%2e%2e/package.json", "/page/.gitignore"]
    {
        assert_eq!(door.get(path).await.code(), "not_found", "{path}");
    }
    assert_eq!(door.send("POST", "/page/index.html", &[], None).await.code(), "wrong_method");
    world.stop().await;
}
