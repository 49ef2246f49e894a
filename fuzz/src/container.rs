//! A container of chunks, as small as formats with lengths and checksums get: the reader that the target of hooks tests.
//!
//! A file is `CHNK` and chunks: the length of the data in four bytes, a kind in four, the data, and the CRC-32 of kind and data; a
//! chunk `nest` has a file as its data.

/// The grammar, which derives any lengths and checksums.
pub const GRAMMAR: &str = r#"
    File   := "CHNK" Chunk*;
    Chunk  := Length Body Crc;
    Length := [\x00-\xff]{4};
    Body   := "text" [\x00-\xff]{0,20} | "nest" File;
    Crc    := [\x00-\xff]{4};
"#;

/// The number of chunks in a file and in the files in it; nothing if a length or a checksum is wrong.
pub fn count_chunks(file: &[u8]) -> Option<usize> {
    // A file in a file is read without recursion, however deep they are.
    let mut files = vec![file];
    let mut count = 0;
    while let Some(file) = files.pop() {
        let mut rest = file.strip_prefix(b"CHNK")?;
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let length = u32::from_be_bytes(*length) as usize;
            let (checked, behind) = behind.split_at_checked(length.checked_add(4)?)?;
            let (crc, behind) = behind.split_first_chunk::<4>()?;
            if crc32fast::hash(checked) != u32::from_be_bytes(*crc) {
                return None;
            }
            let (kind, data) = checked.split_at(4);
            match kind {
                b"text" => {}
                b"nest" => files.push(data),
                _ => return None,
            }
            count += 1;
            rest = behind;
        }
    }
    Some(count)
}
