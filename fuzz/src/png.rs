//! PNG images: what follows from other parts of an image is made right by hooks, and the crate `png` reads and writes it.

use std::io::Cursor;

use image_png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};
use pleach::Grammar;
use pleach::semantics::{Error, Node, Part, Semantics, productions};

/// The grammar, which derives any lengths, checksums and amounts of pixels.
pub const GRAMMAR: &str = include_str!("png.ebnf");

/// The productions of chunks: a length, a body and a CRC.
const CHUNKS: [&str; 20] = [
    "GrayHeader",
    "RgbHeader",
    "IndexedHeader",
    "GrayAlphaHeader",
    "RgbaHeader",
    "Palette",
    "GrayTransparent",
    "RgbTransparent",
    "IndexedTransparent",
    "GrayBackground",
    "RgbBackground",
    "IndexedBackground",
    "Gamma",
    "Chromaticities",
    "Intent",
    "Physical",
    "Time",
    "Note",
    "Pixels",
    "End",
];

/// What the header of an image says.
#[derive(Clone, Copy, Default, Debug)]
pub struct Header {
    width: usize,
    height: usize,
    depth: usize,
    color: u8,
    is_interlaced: bool,
}

impl Header {
    /// Reads the type and the data of an IHDR.
    fn read(body: &[u8]) -> Option<Header> {
        let [
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            width,
            _,
            _,
            _,
            height,
            depth,
            color,
            _,
            _,
            interlace,
        ] = body
        else {
            return None;
        };
        Some(Header {
            width: usize::from(*width),
            height: usize::from(*height),
            depth: usize::from(*depth),
            color: *color,
            is_interlaced: *interlace == 1,
        })
    }

    /// The lengths of the lines, without the bytes of their filters.
    fn lines(self) -> Vec<usize> {
        // First column and line, and the steps between them.
        const WHOLE: [[usize; 4]; 1] = [[0, 0, 1, 1]];
        const ADAM7: [[usize; 4]; 7] = [
            [0, 0, 8, 8],
            [4, 0, 8, 8],
            [0, 4, 4, 8],
            [2, 0, 4, 4],
            [0, 2, 2, 4],
            [1, 0, 2, 2],
            [0, 1, 1, 2],
        ];
        let passes = match self.is_interlaced {
            true => &ADAM7[..],
            false => &WHOLE[..],
        };
        let channels = match self.color {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        };
        let mut lines = Vec::new();
        for &[x, y, step_x, step_y] in passes {
            let width = self.width.saturating_sub(x).div_ceil(step_x);
            let height = self.height.saturating_sub(y).div_ceil(step_y);
            if width > 0 {
                let len = (width * channels * self.depth).div_ceil(8);
                lines.extend(std::iter::repeat_n(len, height));
            }
        }
        lines
    }
}

/// Hooks that make the images of the grammar right.
pub fn semantics(grammar: &Grammar) -> Result<Semantics<Header>, Error> {
    let [stream, length, data, adler] =
        productions(grammar, ["Stream", "BlockLength", "Data", "Adler"])?;
    let mut semantics = Semantics::new(grammar);
    let heads = [
        "GrayHead",
        "RgbHead",
        "IndexedHead",
        "GrayAlphaHead",
        "RgbaHead",
    ];
    for head in productions(grammar, heads)? {
        semantics = semantics.on_leave(head, |node, header: &mut Header| {
            *header = Header::read(node.text()).unwrap_or_default();
        });
    }
    let [palette] = productions(grammar, ["PaletteBody"])?;
    semantics = semantics
        .on_leave(palette, |node, header| {
            // No more colors than there are indexes.
            let most = 4 + 3 * (1 << header.depth.min(8));
            if header.color == 3 && node.text().len() > most {
                let cut = node.text()[..most].to_vec();
                node.replace(&cut);
            }
        })
        .on_leave(data, |node, header| fill(node, &header.lines()))
        .on_leave(stream, move |node, _| {
            let block = node.child_text(data);
            let (len, sum) = (block.len() as u16, adler2::adler32_slice(block));
            let lengths = [len.to_le_bytes(), (!len).to_le_bytes()].concat();
            node.replace_child(length, &lengths);
            node.replace_child(adler, &sum.to_be_bytes());
        });
    for chunk in productions(grammar, CHUNKS)? {
        semantics = semantics.on_leave(chunk, |node, _| frame(node));
    }
    Ok(semantics)
}

/// Makes the length and the CRC of a chunk right.
fn frame(node: &mut Node<'_>) {
    let parts: Vec<Part> = node.children().collect();
    let [length, body, crc] = parts[..] else {
        return;
    };
    let body = node.text_of(body);
    let (len, sum) = (body.len().saturating_sub(4) as u32, crc32fast::hash(body));
    node.replace_part(length, &len.to_be_bytes());
    node.replace_part(crc, &sum.to_be_bytes());
}

/// Makes as many bytes of lines as there are pixels: the derived ones, again and again.
fn fill(node: &mut Node<'_>, lines: &[usize]) {
    let lengths = lines.iter().map(|len| len + 1);
    let mut at = 0;
    let filters = lengths.clone().all(|len| {
        let filter = node.text().get(at);
        at += len;
        filter.is_some_and(|&filter| filter <= 4)
    });
    if filters && at == node.text().len() {
        return;
    }
    let parts: Vec<Part> = node.children().collect();
    let mut derived = parts.iter().map(|&part| node.text_of(part)).cycle();
    let mut new = Vec::new();
    for len in lengths {
        // A slip may have left no line, or one without a filter.
        let line = derived.next().filter(|line| line.len() > 1);
        let (&filter, pixels) = line
            .and_then(|line| line.split_first())
            .unwrap_or((&0, &[0]));
        new.push(filter);
        new.extend(pixels.iter().cycle().take(len - 1));
    }
    node.replace(&new);
}

#[derive(PartialEq, Eq, Debug)]
struct Picture {
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
    palette: Option<Vec<u8>>,
    pixels: Vec<u8>,
}

fn decode(file: &[u8], transformations: Transformations) -> Option<Picture> {
    let limits = Limits { bytes: 1 << 20 };
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_transformations(transformations);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size().filter(|&len| len <= 1 << 20)?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(frame.buffer_size());
    let palette = reader.info().palette.as_ref();
    let palette = palette.map(|palette| palette.to_vec());
    reader.finish().ok()?;
    Some(Picture {
        width: frame.width,
        height: frame.height,
        color: frame.color_type,
        depth: frame.bit_depth,
        palette,
        pixels,
    })
}

fn encode(picture: &Picture) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, picture.width, picture.height);
    encoder.set_color(picture.color);
    encoder.set_depth(picture.depth);
    if let Some(palette) = &picture.palette {
        encoder.set_palette(palette);
    }
    let mut writer = encoder.write_header().expect("the header was read");
    writer
        .write_image_data(&picture.pixels)
        .expect("the pixels were read");
    writer.finish().expect("nothing is open");
    file
}

/// Whether an image is read; panics if it changes when it is written and read again.
pub fn run(file: &[u8]) -> bool {
    let expanded = decode(file, Transformations::normalize_to_color8());
    let Some(picture) = decode(file, Transformations::IDENTITY) else {
        return false;
    };
    let again = decode(&encode(&picture), Transformations::IDENTITY);
    assert_eq!(again.as_ref(), Some(&picture));
    expanded.is_some()
}
