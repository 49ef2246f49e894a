//! `smtp-proto`: the requests of a session are the same, in however many pieces it comes in.

use smtp_proto::request::receiver::{BdatReceiver, DataReceiver, LineReceiver, RequestReceiver};
use smtp_proto::{AUTH_LOGIN, Error, Request};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/dialogue/dialogue.ebnf");

/// Sizes of pieces. The last one is beyond the longest line that the receiver takes in pieces.
const PIECES: [usize; 3] = [1, 7, 61];
const MAX_SESSION: usize = 4096;

/// What a session comes to.
type Outcome = Result<Vec<Request<String>>, Error>;

/// What is read next.
enum State {
    Request,
    Data(DataReceiver),
    Chunk(BdatReceiver),
    /// So many lines of credentials, of which one has begun.
    Lines(usize, LineReceiver<()>),
}

/// Reads `text` as what a client says, at once and in pieces. True if all of it are requests, with QUIT at its end.
pub fn run(text: &[u8]) -> bool {
    let (whole, ended) = session(text, text.len().max(1));
    if text.len() < MAX_SESSION && !has_open_command(text) {
        for piece in PIECES {
            let (again, _) = session(text, piece);
            assert_eq!(again, whole, "in pieces of {piece} bytes");
        }
    }
    match whole {
        Ok(requests) => ended && requests.last() == Some(&Request::Quit),
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            false
        }
    }
}

/// smtp-proto 0.2.5 reads on beyond the end of the line if that is at hand already, where it looks for the colon of `MAIL FROM:` and
/// `RCPT TO:`, where a carriage return stands within a word, and where `AUTH` is followed by two white or control characters.
fn has_open_command(text: &[u8]) -> bool {
    let ends_with = |line: &[u8], word: &[u8]| {
        let before = line.len().saturating_sub(word.len());
        line[before..].eq_ignore_ascii_case(word)
    };
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .any(|line| ends_with(line, b"FROM") || ends_with(line, b"TO") || line.contains(&b'\r'))
        || text.windows(6).any(|part| {
            part[..4].eq_ignore_ascii_case(b"AUTH") && part[4..].iter().all(|&byte| byte <= b' ')
        })
}

/// The requests of a session, up to the first that is none, and whether nothing is left incomplete.
fn session(text: &[u8], piece: usize) -> (Outcome, bool) {
    let mut receiver = RequestReceiver::default();
    let mut state = State::Request;
    let mut requests = Vec::new();
    let mut mail = Vec::new();
    let mut whole = true;
    for piece in text.chunks(piece) {
        let mut bytes = piece.iter();
        while !bytes.as_slice().is_empty() {
            match &mut state {
                State::Request => match receiver.ingest(&mut bytes) {
                    Ok(request) => {
                        let request = request.into_owned();
                        state = after(&request);
                        requests.push(request);
                    }
                    Err(Error::NeedsMoreData { .. }) => {
                        whole = false;
                        break;
                    }
                    Err(error) => return (Err(error), false),
                },
                State::Data(data) => {
                    if data.ingest(&mut bytes, &mut mail) {
                        state = State::Request;
                    }
                }
                State::Chunk(chunk) => {
                    if chunk.ingest(&mut bytes, &mut mail) {
                        state = State::Request;
                    }
                }
                State::Lines(left, line) => {
                    if line.ingest(&mut bytes) {
                        state = match left {
                            1 => State::Request,
                            _ => State::Lines(*left - 1, LineReceiver::new(())),
                        };
                    }
                }
            }
            whole = matches!(state, State::Request);
        }
    }
    (Ok(requests), whole)
}

/// What comes behind a request, from a server that agrees.
fn after(request: &Request<String>) -> State {
    match request {
        Request::Data => State::Data(DataReceiver::new()),
        Request::Bdat {
            chunk_size,
            is_last,
        } if *chunk_size > 0 => State::Chunk(BdatReceiver::new(*chunk_size, *is_last)),
        Request::Auth {
            mechanism,
            initial_response,
        } => {
            let lines = if *mechanism == AUTH_LOGIN { 2 } else { 1 };
            match lines - usize::from(!initial_response.is_empty()) {
                0 => State::Request,
                left => State::Lines(left, LineReceiver::new(())),
            }
        }
        _ => State::Request,
    }
}

#[cfg(test)]
mod tests;
