//! `httparse`: a request reads the same wherever it is cut, and its chunks lead to its end.

use httparse::{EMPTY_HEADER, Error, Request, Status, parse_chunk_size};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/http/http.ebnf");

/// Fields that a head may have.
const MAX_FIELDS: usize = 256;

/// Heads up to this length are cut everywhere, longer ones here and there.
const CUTS: usize = 64;

/// Parses `text` as a request, its head in parts as well, and its body if that is in chunks. True if all of it is accepted.
pub fn run(text: &[u8]) -> bool {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let mut request = Request::new(&mut fields);
    let outcome = request.parse(text);
    let Ok(Status::Complete(end)) = outcome else {
        if let Err(error) = outcome {
            assert!(!error.to_string().is_empty(), "an error without a message");
        }
        return false;
    };
    assert!(end <= text.len(), "the head ends behind the text");
    for step in 0..CUTS.min(end) {
        check_part(&text[..step * end / CUTS.min(end)]);
    }
    check_few_fields(text, request.headers.len());

    assert!(request.method.is_some() && request.path.is_some() && request.version.is_some());
    let mut chunked = false;
    for field in request.headers.iter() {
        assert!(!field.name.is_empty(), "a field without a name");
        let value = field.value.to_ascii_lowercase();
        chunked |=
            field.name.eq_ignore_ascii_case("Transfer-Encoding") && value.ends_with(b"chunked");
    }
    !chunked || has_chunks(&text[end..])
}

/// The beginning of a head is incomplete, not wrong.
fn check_part(part: &[u8]) {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let outcome = Request::new(&mut fields).parse(part);
    assert_eq!(
        outcome,
        Ok(Status::Partial),
        "what begins a request is refused: {:?}",
        part.escape_ascii().to_string()
    );
}

/// With room for one field less, there are too many of them.
fn check_few_fields(text: &[u8], count: usize) {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    if let Some(fewer) = count.checked_sub(1) {
        let outcome = Request::new(&mut fields[..fewer]).parse(text);
        assert_eq!(outcome, Err(Error::TooManyHeaders));
    }
}

/// Whether a body is chunks with their data, trailers and nothing else.
fn has_chunks(mut body: &[u8]) -> bool {
    loop {
        let Ok(Status::Complete((start, size))) = parse_chunk_size(body) else {
            return false;
        };
        body = &body[start..];
        if size == 0 {
            break;
        }
        let Some((_, behind)) = usize::try_from(size)
            .ok()
            .and_then(|size| body.split_at_checked(size))
        else {
            return false;
        };
        let Some(behind) = behind.strip_prefix(b"\r\n") else {
            return false;
        };
        body = behind;
    }
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    matches!(
        httparse::parse_headers(body, &mut fields),
        Ok(Status::Complete((end, _))) if end == body.len()
    )
}

#[cfg(test)]
mod tests;
