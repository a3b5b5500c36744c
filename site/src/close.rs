//! Ends each connection with its answer.
//!
//! tiny_http keeps a thread for each open connection, and when several are opened at once may leave one of them to wait
//! for a thread that another holds on to: for as long as the browser keeps that open, which may be for ever.

use std::io::{Result, Write};

use tiny_http::{Method, Request, ResponseBox};

/// Answers, and says that nothing more is answered on this connection.
pub fn respond(request: Request, response: ResponseBox) -> Result<()> {
    let (version, headers) = (request.http_version().clone(), request.headers().to_vec());
    let head_only = *request.method() == Method::Head;
    let mut writer = Closing { writer: request.into_writer(), said: false };
    // tiny_http drops a `Connection` among a response's headers.
    response.raw_print(&mut writer, version, &headers, head_only, None)?;
    writer.flush()
}

/// Writes `Connection: close` behind the first line.
struct Closing<W> {
    writer: W,
    said: bool,
}

impl<W: Write> Write for Closing<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if self.said {
            return self.writer.write(bytes);
        }
        let line = bytes.iter().position(|&byte| byte == b'\n');
        let (first, rest) = bytes.split_at(line.map_or(bytes.len(), |end| end + 1));
        self.writer.write_all(first)?;
        if line.is_some() {
            self.said = true;
            self.writer.write_all(b"Connection: close\r\n")?;
        }
        self.writer.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush()
    }
}
