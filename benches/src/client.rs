//! HTTP client on one persistent connection: writes the bytes of a request, reads one response.
//!
//! It follows no redirects, decodes no content encoding, and never repeats a request.

use crate::Result;
use crate::http_response::{HEAD_BYTES_MAX, Head};
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Size of the read buffer, in bytes.
const READ_BYTES: usize = 256 * 1024;

/// An open connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Connects to a server.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; READ_BYTES] })
    }

    /// Connects from one of this machine's addresses.
    pub(crate) async fn connect_from(from: IpAddr, address: SocketAddr) -> Result<Self> {
        let stream = stream_from(from, address).await?;
        Ok(Self { stream, buffer: vec![0; READ_BYTES] })
    }

    /// Sends a request. Calls `each` with the pieces of the body, and returns the status.
    pub(crate) async fn send(&mut self, request: &[u8], each: impl FnMut(&[u8])) -> Result<u16> {
        self.send_with_head(request, |_| (), each).await
    }

    /// Like [`Client::send`], and calls `whole_head` with the head first.
    async fn send_with_head(
        &mut self,
        request: &[u8],
        whole_head: impl FnOnce(&[u8]),
        mut each: impl FnMut(&[u8]),
    ) -> Result<u16> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let head = loop {
            filled += self.read(filled).await?;
            if let Some(head) = Head::parse(&self.buffer[..filled]) {
                break head;
            }
            if filled > HEAD_BYTES_MAX {
                return Err("the head of the response has no end".into());
            }
        };
        whole_head(&self.buffer[..head.bytes]);
        let mut body = head.body;
        body.consume(&self.buffer[head.bytes..filled], &mut each);
        while !body.is_done() {
            let read = self.read(0).await?;
            body.consume(&self.buffer[..read], &mut each);
        }
        Ok(head.status)
    }

    /// Sends a request and returns the status and the body.
    pub(crate) async fn fetch(&mut self, request: &[u8]) -> Result<(u16, Vec<u8>)> {
        let mut body = Vec::new();
        let status = self.send(request, |bytes| body.extend_from_slice(bytes)).await?;
        Ok((status, body))
    }

    async fn read(&mut self, from: usize) -> Result<usize> {
        match self.stream.read(&mut self.buffer[from..]).await? {
            0 => Err("the server closed the connection".into()),
            read => Ok(read),
        }
    }
}

/// Connects from one of this machine's addresses.
pub(crate) async fn stream_from(from: IpAddr, address: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_nodelay(true)?;
    socket.bind(SocketAddr::new(from, 0))?;
    Ok(socket.connect(address).await?)
}

/// Returns the body of the response to a GET, over a new connection. Fails unless the status is
/// 200.
pub(crate) async fn fetch_ok(address: SocketAddr, path: &str, key: &str) -> Result<Vec<u8>> {
    fetch_all_ok(address, path, key).await.map(|(_, body)| body)
}

/// Returns the raw head and the body of the response to a GET. Fails unless the status is 200.
pub(crate) async fn fetch_all_ok(
    address: SocketAddr,
    path: &str,
    key: &str,
) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut head = Vec::new();
    let mut body = Vec::new();
    let mut client = Client::connect(address).await?;
    let status = client
        .send_with_head(
            &get_request(path, key),
            |bytes| head.extend_from_slice(bytes),
            |bytes| body.extend_from_slice(bytes),
        )
        .await?;
    match status {
        200 => Ok((head, body)),
        _ => Err(format!("{path}: {status} {}", String::from_utf8_lossy(&body)).into()),
    }
}

/// Returns the bytes of a GET request as an HTTP library would send it.
pub(crate) fn get_request(path: &str, key: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: sheaf-bench/1\r\n\
         Accept: application/json\r\nX-API-Key: {key}\r\n\r\n"
    )
    .into_bytes()
}

/// Returns the bytes of a POST request with a JSON body.
pub(crate) fn post_json_request(path: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: sheaf-bench/1\r\n\
         Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n\
         {body}",
        body.len()
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn fragmented_responses_are_read_on_one_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            for answer in [
                &[&b"HTTP/1.1 200 OK\r\nContent-Le"[..], b"ngth: 4\r\n\r\nab", b"cd"][..],
                &[
                    b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nx",
                    b"y\r\n0\r\n\r\n",
                ],
            ] {
                assert!(stream.read(&mut request).await.unwrap() > 0);
                for piece in answer {
                    stream.write_all(piece).await.unwrap();
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
        });
        let mut client = Client::connect(address).await.unwrap();
        let get = get_request("/", "key");
        assert_eq!(client.fetch(&get).await.unwrap(), (200, b"abcd".to_vec()));
        assert_eq!(client.fetch(&get).await.unwrap(), (404, b"xy".to_vec()));
    }
}
