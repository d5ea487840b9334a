//! The web.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bstr::ByteSlice;
use ureq::config::Config;
use ureq::http::{Request, Response};
use ureq::tls::TlsConfig;
use ureq::{Agent, Body, Proxy};

use crate::machine::WebRequest;

/// What a server sends, at most so many bytes; or why there is none.
pub(super) fn fetch(request: &WebRequest, limit: u64) -> Result<Vec<u8>, String> {
    let response = send(request)?;
    let status = response.status().as_u16();
    if request.failures.contains(&status) {
        return Err(format!("the server answered with status {status}"));
    }
    let mut page = Vec::new();
    if request.shows_header {
        page.extend_from_slice(&header(&response));
    }
    let mut body = response.into_body();
    // One more than may be, to see that it is too much.
    let received = body
        .with_config()
        .limit(limit + 1)
        .read_to_vec()
        .map_err(|error| error.to_string())?;
    if received.len() as u64 > limit {
        return Err(format!("the server sends more than {limit} bytes"));
    }
    page.extend_from_slice(&received);
    Ok(page)
}

fn send(request: &WebRequest) -> Result<Response<Body>, String> {
    let url = text(&request.url, "the address")?;
    let url = if url.contains("://") {
        url.to_owned()
    } else {
        format!("http://{url}")
    };
    let mut asked = match &request.post {
        Some(_) => Request::post(&url),
        None => Request::get(&url),
    };
    let own_type = |(name, _): &(crate::base::Text, _)| name.eq_ignore_ascii_case(b"content-type");
    if request.post.is_some() && !request.header.iter().any(own_type) {
        asked = asked.header("Content-Type", "application/x-www-form-urlencoded");
    }
    if let Some(credentials) = &request.credentials {
        let value = format!("Basic {}", STANDARD.encode(credentials.as_bytes()));
        asked = asked.header("Authorization", value);
    }
    for (name, value) in &request.header {
        asked = asked.header(name.as_bytes(), value.as_bytes());
    }
    let agent = Agent::new_with_config(config(request)?);
    let answered = match &request.post {
        Some(content) => agent.run(asked.body(content.as_bytes()).map_err(shown)?),
        None => agent.run(asked.body(()).map_err(shown)?),
    };
    answered.map_err(shown)
}

fn config(request: &WebRequest) -> Result<Config, String> {
    let proxy = match &request.proxy {
        Some(address) => Some(Proxy::new(text(address, "the proxy")?).map_err(shown)?),
        None => None,
    };
    let tls = TlsConfig::builder()
        .disable_verification(!request.verifies)
        .build();
    let connect = request.connect.map(|time| time.min(request.whole));
    Ok(Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(request.whole))
        .timeout_connect(connect)
        .max_redirects(request.redirects)
        .max_redirects_will_error(request.redirects > 0)
        .proxy(proxy)
        .tls_config(tls)
        .build())
}

/// Status line and header of an answer.
fn header(response: &Response<Body>) -> Vec<u8> {
    let status = response.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let mut header =
        format!("{:?} {} {reason}\r\n", response.version(), status.as_u16()).into_bytes();
    for (name, value) in response.headers() {
        header.extend_from_slice(name.as_str().as_bytes());
        header.extend_from_slice(b": ");
        header.extend_from_slice(value.as_bytes());
        header.extend_from_slice(b"\r\n");
    }
    header.extend_from_slice(b"\r\n");
    header
}

fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, String> {
    bytes.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

fn shown(error: impl std::fmt::Display) -> String {
    error.to_string()
}
